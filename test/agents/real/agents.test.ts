import { testAgents } from '../../support/agent-suite.ts';

testAgents('claude', 'codex');
