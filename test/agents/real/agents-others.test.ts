import { testAgents } from '../../support/agent-suite.ts';

testAgents('gemini', 'opencode', 'pi');
