import { testAgents } from '@onceover/testing/agent-suite.ts';

testAgents('gemini', 'opencode', 'pi');
