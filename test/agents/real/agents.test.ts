import { testAgents } from '@onceover/testing/agent-suite.ts';

testAgents('claude', 'codex');
