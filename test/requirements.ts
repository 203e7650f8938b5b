/**
 * Every sentence of the requirement texts by id. Tests cite ids in their titles, and the run fails if a tested id has
 * no passing test that cites it.
 */
export type Requirement = { readonly id: string; readonly says: string } & (
  | { readonly state: 'tested' }
  | { readonly state: 'pending' }
  | { readonly state: 'n/a'; readonly reason: string }
);

const tested = (id: string, says: string): Requirement => ({ id, says, state: 'tested' });
const notApplicable = (id: string, says: string, reason: string): Requirement => ({ id, says, state: 'n/a', reason });

const editsOtherProject = 'prescribes edits to files of another project, which do not belong to this package';
const orderOfWork = 'prescribes the order of work in another project, not a behaviour of a product';

const passCaching: readonly Requirement[] = [
  // 0: the guarantee
  tested('REVIEW-REQ-009.0.1', 'a review that passed is not run again while none of its trigger files changed'),

  // 1: review ids
  tested('REVIEW-REQ-009.1.1', 'each task has an id made of rule name, file paths and 12-character hash, joined by --'),
  tested('REVIEW-REQ-009.1.2', 'in the rule part, every character but letters, digits, - _ . becomes -'),
  tested('REVIEW-REQ-009.1.3', 'in the path part, / becomes -, paths join with _AND_, over 100 characters {N}_files'),
  tested('REVIEW-REQ-009.1.4', 'the hash is 12 hex digits of SHA-256 over all contents, files in alphabetical order'),
  tested('REVIEW-REQ-009.1.5', 'a file that cannot be read enters the hash as MISSING'),
  tested('REVIEW-REQ-009.1.6', 'equal rule name, paths and contents always give an equal id'),

  // 2: marking a review as passed
  tested('REVIEW-REQ-009.2.1', 'the MCP server offers a tool named mark_review_as_passed'),
  tested('REVIEW-REQ-009.2.2', 'the tool requires one string parameter, review_id'),
  tested('REVIEW-REQ-009.2.3', 'it leaves an empty .deepwork/tmp/review_instructions/{review_id}.passed'),
  tested('REVIEW-REQ-009.2.4', 'it makes the folder where there is none'),
  tested('REVIEW-REQ-009.2.5', 'an empty id is refused with an error message'),
  tested('REVIEW-REQ-009.2.6', 'an id with .. in it or starting with / is refused'),
  tested('REVIEW-REQ-009.2.7', 'the confirmation names the id'),

  // 3: writing instructions
  tested('REVIEW-REQ-009.3.1', 'the .passed marker is looked for before each instruction file is written'),
  tested('REVIEW-REQ-009.3.2', 'a marked task gets no instruction file and is not in the result'),
  tested('REVIEW-REQ-009.3.3', 'where every task is marked the result is an empty list'),
  tested('REVIEW-REQ-009.3.4', 'an instruction file is called {review_id}.md'),

  // 4: the "After Review" section
  tested('REVIEW-REQ-009.4.1', 'every instruction file has an "After Review" section'),
  tested('REVIEW-REQ-009.4.2', 'it stands behind the files to review and ahead of the traceability note, if any'),
  tested('REVIEW-REQ-009.4.3', 'it names mark_review_as_passed and the review id of the task, both exactly'),

  // 5: clearing
  tested('REVIEW-REQ-009.5.1', 'clearing old instructions removes .md files and leaves .passed files'),
  tested('REVIEW-REQ-009.5.2', 'markers are still there after any number of writes'),

  // 6: listing the rules
  tested('REVIEW-REQ-009.6.1', 'get_configured_reviews lists every matching rule, passed before or not'),
];

const qualityReview: readonly Requirement[] = [
  // 1: making a quality gate
  tested('JOBS-REQ-004.1.1', 'a quality gate takes an optional cli, which may be none'),
  tested('JOBS-REQ-004.1.2', 'it takes an optional whole number of files to inline'),
  tested('JOBS-REQ-004.1.3', 'without that number it inlines up to DEFAULT_MAX_INLINE_FILES, which is 5'),
  tested('JOBS-REQ-004.1.4', 'a given number is the one used'),
  tested('JOBS-REQ-004.1.5', 'without a cli it still builds review instructions'),
  tested('JOBS-REQ-004.1.6', 'without a cli, calling evaluate is a QualityGateError'),

  // 2: review by a cli
  tested('JOBS-REQ-004.2.1', 'with an external runner, the criteria are judged by a cli subprocess'),
  tested('JOBS-REQ-004.2.2', 'its system prompt has the criteria and, where given, author notes and guidance'),
  tested('JOBS-REQ-004.2.3', 'its user prompt is the payload: contents or paths of the outputs'),
  tested('JOBS-REQ-004.2.4', 'it is called with a JSON schema for the answer'),
  tested(
    'JOBS-REQ-004.2.5',
    'the schema requires passed (boolean) and feedback (string); criteria_results is optional',
  ),
  tested(
    'JOBS-REQ-004.2.6',
    'each criteria result requires criterion and passed; feedback may be text, null or absent',
  ),

  // 2: review by the agent itself
  tested('JOBS-REQ-004.2.7', 'without an external runner a file with review instructions is written'),
  tested('JOBS-REQ-004.2.8', 'that file is .deepwork/tmp/quality_review_{session_id}_{step_id}.md'),
  tested('JOBS-REQ-004.2.9', 'it has header, outputs, criteria, author notes if any, guidelines and a task checklist'),
  tested('JOBS-REQ-004.2.10', 'finished_step then answers needs_work and says how to start a sub-agent'),
  tested('JOBS-REQ-004.2.11a', 'the sub-agent instructions say to read the review file'),
  tested('JOBS-REQ-004.2.11b', 'the sub-agent instructions say to evaluate the criteria'),
  tested('JOBS-REQ-004.2.11c', 'the sub-agent instructions say to fix what was found'),
  tested('JOBS-REQ-004.2.11d', 'the sub-agent instructions say to go round until everything passes'),
  tested('JOBS-REQ-004.2.11e', 'they say to call finished_step again with quality_review_override_reason'),

  // 3: the payload
  tested('JOBS-REQ-004.3.1', 'up to max_inline_files files are given with their whole contents'),
  tested('JOBS-REQ-004.3.2', 'more files than that are given as paths only'),
  tested('JOBS-REQ-004.3.3', 'each listed path comes with the name of its output'),
  tested('JOBS-REQ-004.3.4', 'a list of paths says how many files there are and to read them as needed'),
  tested('JOBS-REQ-004.3.5', 'each content is set off by 20 dashes, the file name, 20 dashes'),
  tested('JOBS-REQ-004.3.6', 'outputs stand between BEGIN and END OUTPUTS lines marked by ===================='),
  tested('JOBS-REQ-004.3.7', 'author notes, where given, have an AUTHOR NOTES section of their own'),
  tested('JOBS-REQ-004.3.8', 'no files and no notes make the payload "[No files provided]"'),

  // 4: reading files
  tested('JOBS-REQ-004.4.1', 'files are read without blocking'),
  tested('JOBS-REQ-004.4.2', 'a file that is valid UTF-8 is given in full'),
  tested('JOBS-REQ-004.4.3', 'other bytes become "[Binary file - not included in review. Read from: {absolute_path}]"'),
  tested('JOBS-REQ-004.4.4', 'a file that is not there becomes "[File not found]"'),
  tested('JOBS-REQ-004.4.5', 'any other trouble becomes "[Error reading file: {error}]"'),

  // 5: the instructions file
  tested('JOBS-REQ-004.5.1', 'the instructions are one complete Markdown document'),
  tested('JOBS-REQ-004.5.2', 'several reviews are numbered and each names its scope'),
  tested('JOBS-REQ-004.5.3', 'a single review has the title "Criteria to Evaluate" and no number'),
  tested('JOBS-REQ-004.5.4', 'a review of each file of a files output lists every file to judge'),
  tested('JOBS-REQ-004.5.5', 'guidance, where given, stands under "Additional Context"'),
  tested('JOBS-REQ-004.5.6', 'guidelines ask for strict but fair, pragmatic judgement and feedback to act on'),
  tested(
    'JOBS-REQ-004.5.7',
    'five task steps: read, evaluate, report PASS or FAIL, overall result, feedback on failures',
  ),

  // 6: one evaluation
  tested('JOBS-REQ-004.6.1', 'no criteria pass with the feedback "No quality criteria defined - auto-passing"'),
  tested('JOBS-REQ-004.6.2', 'criteria but no cli are a QualityGateError'),
  tested('JOBS-REQ-004.6.3', 'the timeout depends on the number of files, as section 8 says'),
  tested('JOBS-REQ-004.6.4', 'an error of the cli comes out as a QualityGateError'),

  // 7: several evaluations
  tested('JOBS-REQ-004.7.1', 'every review of a step is evaluated'),
  tested('JOBS-REQ-004.7.2', 'no reviews give an empty list'),
  tested('JOBS-REQ-004.7.3', 'run_each step makes one evaluation over all outputs'),
  tested('JOBS-REQ-004.7.4', 'run_each of a files output makes one evaluation for each of its files'),
  tested('JOBS-REQ-004.7.5', 'run_each of a file output makes one evaluation of that file'),
  tested('JOBS-REQ-004.7.6', 'all evaluations run at the same time'),
  tested('JOBS-REQ-004.7.7', 'only reviews that did not pass are returned'),
  tested('JOBS-REQ-004.7.8', 'the guidance of a review reaches its evaluation'),

  // 8: timeouts
  tested('JOBS-REQ-004.8.1', 'the base timeout is 240 seconds'),
  tested('JOBS-REQ-004.8.2', 'up to 5 files the timeout stays at 240 seconds'),
  tested('JOBS-REQ-004.8.3', 'each file above 5 adds 30 seconds'),

  // 9: reading the answer
  tested('JOBS-REQ-004.9.1', 'passed, feedback and criteria_results are taken from the structured answer'),
  tested('JOBS-REQ-004.9.2', 'without passed it is false'),
  tested('JOBS-REQ-004.9.3', 'without feedback it is "No feedback provided"'),
  tested('JOBS-REQ-004.9.4', 'without criteria_results it is an empty list'),
  tested('JOBS-REQ-004.9.5', 'an answer that makes no sense is a QualityGateError'),

  // 10: what the instructions say
  tested('JOBS-REQ-004.10.1', 'the instructions open with the role of the reviewer'),
  tested('JOBS-REQ-004.10.2', 'each criterion is a bold name with its question'),
  tested('JOBS-REQ-004.10.3', 'notes, where given, have the heading "Author Notes"'),
  tested('JOBS-REQ-004.10.4', 'guidance, where given, has the heading "Additional Context"'),
  tested('JOBS-REQ-004.10.5', 'they say that the whole passes only if all criteria pass'),
  tested('JOBS-REQ-004.10.6', 'they say that a criterion which does not apply to the step is to be passed'),
];

const runSlots: readonly Requirement[] = [
  // The rule, its definitions and its invariant
  tested('RUN-SLOTS/rule/skips-passed-slots', 'in a rerun with several reviews, slots that passed last time rest'),
  tested('RUN-SLOTS/rule/pass-has-no-violations', 'only status pass without violations counts as passed'),
  tested('RUN-SLOTS/rule/needs-another-slot', 'a slot rests only where another slot of its gate runs'),
  tested('RUN-SLOTS/rule/rerun-mode-only', 'slots rest in rerun mode only'),
  tested('RUN-SLOTS/rule/saves-calls', 'a resting slot makes no call to a model'),
  tested('RUN-SLOTS/rule/latest-iteration', 'what counts for a slot is its record with the highest iteration number'),
  tested('RUN-SLOTS/rule/no-prior-result', 'a slot without records has not passed and runs'),
  tested('RUN-SLOTS/rule/invariant', 'in every iteration at least one reviewer of each review prompt runs'),
  tested('RUN-SLOTS/rule/not-with-one-review', 'with num_reviews 1 nothing is skipped'),
  tested('RUN-SLOTS/rule/per-gate', 'each gate is decided by itself, whatever other gates there are'),

  // Skip passed slot while failed slot runs
  tested('RUN-SLOTS/skip-passed-slot/slot-1-skipped', 'slot 1 passed and slot 2 failed: slot 1 rests'),
  tested('RUN-SLOTS/skip-passed-slot/slot-2-runs', 'slot 1 passed and slot 2 failed: slot 2 runs'),
  tested(
    'RUN-SLOTS/skip-passed-slot/log-line',
    'log: "Skipping @1: previously passed in iteration 2 (num_reviews > 1)"',
  ),

  // Slot skipped across multiple consecutive iterations
  tested('RUN-SLOTS/consecutive-iterations/slot-1-skipped', 'slot 1 rests in iterations 2, 3, 4 while slot 2 fails'),
  tested('RUN-SLOTS/consecutive-iterations/log', 'each of these logs says that slot 1 passed in iteration 1'),
  tested('RUN-SLOTS/consecutive-iterations/slot-2-runs', 'slot 2 runs in each iteration until it passes'),

  // Safety latch when all slots previously passed
  tested('RUN-SLOTS/safety-latch/activates', 'with every slot passed the latch keeps the invariant'),
  tested('RUN-SLOTS/safety-latch/runs-slot-1', 'the latch runs slot 1'),
  tested('RUN-SLOTS/safety-latch/skips-other-slots', 'under the latch slots 2 and 3 rest'),
  tested('RUN-SLOTS/safety-latch/log-line', 'log: "Running @1: safety latch (all slots previously passed)"'),
  tested('RUN-SLOTS/safety-latch/gate-status', 'the gate is what slot 1 says of the latest diff'),

  // Single reviewer always runs
  tested('RUN-SLOTS/single-reviewer/runs', 'the only reviewer runs again although it passed'),
  tested('RUN-SLOTS/single-reviewer/invariant', 'by this the invariant holds for a gate with one review'),

  // Different review gates are independent
  tested('RUN-SLOTS/independent-gates/both-run', 'two gates with one review each, one passed, one failed: both run'),
  tested('RUN-SLOTS/independent-gates/no-skip', 'neither is skipped for what the other one does'),

  // Adapter change does not affect skip decision
  tested('RUN-SLOTS/adapter-change/slot-1-skipped', 'slot 1 rests also where another agent would now fill it'),
  tested('RUN-SLOTS/adapter-change/by-index', 'the decision looks at the slot number and not at the agent'),

  // Skip logging format
  tested('RUN-SLOTS/skip-log-format/index', 'the skip line names the slot, as @1'),
  tested('RUN-SLOTS/skip-log-format/iteration', 'it names the iteration of the pass, as in the name of its log file'),
  tested('RUN-SLOTS/skip-log-format/reason', 'it gives the reason: previously passed, num_reviews > 1'),
  tested('RUN-SLOTS/skip-log-format/format', '"Skipping @N: previously passed in iteration M (num_reviews > 1)"'),

  // Safety latch logging format
  tested('RUN-SLOTS/latch-log-format/index', 'the latch line names the slot that runs'),
  tested('RUN-SLOTS/latch-log-format/reason', 'it gives the reason: "safety latch (all slots previously passed)"'),
  tested('RUN-SLOTS/latch-log-format/format', '"Running @1: safety latch (all slots previously passed)"'),

  // Skipped slot JSON log format
  tested('RUN-SLOTS/skipped-slot-json/written', 'a resting slot gets a JSON record'),
  tested('RUN-SLOTS/skipped-slot-json/status', 'its status is "skipped_prior_pass"'),
  tested('RUN-SLOTS/skipped-slot-json/violations', 'its violations are an empty array'),
  tested('RUN-SLOTS/skipped-slot-json/pass-iteration', 'passIteration is the number of the iteration that passed'),

  // Skipped slots do not affect overall gate status
  tested('RUN-SLOTS/gate-status/passes', 'two slots resting and the third passing make the gate pass'),
  tested('RUN-SLOTS/gate-status/skipped-not-failed', 'a resting slot is counted neither as failure nor as error'),

  // Safety latch slot finds new issues
  tested('RUN-SLOTS/latch-finds-issues/gate-fails', 'new violations from the latched slot fail the gate'),
  tested('RUN-SLOTS/latch-finds-issues/reported', 'these violations are reported like any other'),

  // Slot with no prior result must run
  tested('RUN-SLOTS/no-prior-result/slot-2-runs', 'slot 2 without records runs'),
  tested('RUN-SLOTS/no-prior-result/slot-1-skipped', 'slot 1, which passed, rests because slot 2 runs'),
];

const reuseSpec: readonly Requirement[] = [
  // Scope
  tested('REUSE-SCOPE/no-cross-phase-reuse', 'a reviewer of one phase is never resumed in another phase'),
  tested('REUSE-SCOPE/static-system-prompts', 'what a role gets as system prompt has nothing in it that changes'),
  notApplicable(
    'REUSE-SCOPE/no-api-cache-control',
    'cache lifetimes and breakpoints of the provider need not be set',
    'leaves something out of scope, so nothing has to hold',
  ),
  notApplicable(
    'REUSE-SCOPE/no-main-session-caching',
    'the session that calls needs no change for caching',
    'leaves something out of scope, so nothing has to hold',
  ),
  notApplicable(
    'REUSE-SCOPE/no-brainstorming',
    'reviews of a brainstorm are not resumed',
    'there is no brainstorming phase here',
  ),

  // R1.0: validation before use
  tested('REUSE-R1.0', 'before any resume it is validated that tool-using agents can be resumed'),
  tested('REUSE-R1.0/V1', 'a reviewer sent to read a file in the foreground returns a session id'),
  tested('REUSE-R1.0/V1/blocked', 'without a session id resuming is blocked for that agent, and that is written down'),
  tested('REUSE-R1.0/V2', 'resuming that session gives an answer and no API error'),
  tested('REUSE-R1.0/V3', 'resumed, it repeats the first line of the file it read, exactly'),
  tested('REUSE-R1.0/V4', 'resumed, it gives the number of issues that its first answer had'),
  tested('REUSE-R1.0/decision-gate', 'only if all four pass are sessions resumed; any failure leaves R4 alone'),
  tested('REUSE-R1.0/record-of-failure', '.meta.json gets r1_deferred_reason "{test_id}: {failure description}"'),
  tested('REUSE-R1.0/observes-speed', 'validation also observes whether a resumed dispatch is faster than a fresh one'),

  // R1.1: resume from iteration 2 on, in every loop
  tested('REUSE-R1.1', 'from iteration 2 on a review loop resumes the session with the delta'),
  tested('REUSE-R1.1/specify', 'specify: both review loops resume'),
  tested('REUSE-R1.1/specify/spec-reviewer', 'specify: the loop of the spec-reviewer resumes'),
  tested('REUSE-R1.1/specify/phase-reviewer', 'specify: the loop of the phase-reviewer resumes'),
  tested('REUSE-R1.1/design', 'design: both review loops resume'),
  tested('REUSE-R1.1/design/design-reviewer', 'design: the loop of the design-reviewer resumes'),
  tested('REUSE-R1.1/design/phase-reviewer', 'design: the loop of the phase-reviewer resumes'),
  tested('REUSE-R1.1/create-plan', 'create-plan: both review loops resume'),
  tested('REUSE-R1.1/create-plan/plan-reviewer', 'create-plan: the loop of the plan-reviewer resumes'),
  tested('REUSE-R1.1/create-plan/phase-reviewer', 'create-plan: the loop of the phase-reviewer resumes'),
  tested('REUSE-R1.1/create-tasks', 'create-tasks: both review loops resume'),
  tested('REUSE-R1.1/create-tasks/task-reviewer', 'create-tasks: the loop of the task-reviewer resumes'),
  tested('REUSE-R1.1/create-tasks/phase-reviewer', 'create-tasks: the loop of the phase-reviewer resumes'),
  tested('REUSE-R1.1/implement', 'implement: reviewers that are dispatched again are resumed'),
  tested('REUSE-R1.1/implement/implementation-reviewer', 'implement: the implementation-reviewer is resumed'),
  tested('REUSE-R1.1/implement/code-quality-reviewer', 'implement: the code-quality-reviewer is resumed'),
  tested('REUSE-R1.1/implement/security-reviewer', 'implement: the security-reviewer is resumed'),

  // R1.2: the delta
  tested('REUSE-R1.2', 'a resumed prompt sends the delta and nothing that the reviewer already has'),
  tested('REUSE-R1.2/no-required-artifacts', 'a resumed prompt does not list the required artifacts again'),
  tested('REUSE-R1.2/context-sentence', 'it says that artifacts and earlier version are in context and changes follow'),
  tested('REUSE-R1.2a', 'phases that write a document send a unified diff of that document'),
  tested('REUSE-R1.2a/captured-before', 'the document as it was before the revision is kept to diff against'),
  tested('REUSE-R1.2a/simplest-mechanism', 'the diff is made in the simplest way at hand'),
  tested('REUSE-R1.2a/over-threshold', 'a diff above the limit of R1.4 makes the dispatch fresh'),
  tested('REUSE-R1.2b', 'implement sends the git diff of all files changed since the previous iteration'),
  tested('REUSE-R1.2b/fix-summary', 'implement also sends what the implementer says it fixed'),

  // R1.3: the first iteration
  tested('REUSE-R1.3', 'iteration 1 is a fresh dispatch with full context'),
  tested('REUSE-R1.3/session-stored', 'the session id that comes back is stored'),
  tested('REUSE-R1.3/keyed-by-role', 'resume_state is keyed by the name of the role'),

  // R1.4: the size guard
  tested('REUSE-R1.4', 'a delta prompt longer than half of the first prompt makes the dispatch fresh'),
  tested('REUSE-R1.4/characters', 'both lengths are counted in characters'),
  tested('REUSE-R1.4/adjustable', 'the limit is one value that can be changed when figures say so'),

  // R1.5: the implementer
  tested('REUSE-R1.5', 'from the second fix on the same implementer is resumed'),
  tested('REUSE-R1.5/issues', 'it gets the issues of all failed reviewers as one list'),
  tested('REUSE-R1.5/changed-files', 'it gets the paths of changed files, to read them again'),
  tested('REUSE-R1.5/all-files', 'it gets the list of all files of the task, changed or not'),
  tested('REUSE-R1.5/no-required-artifacts', 'it does not get the required artifacts again'),
  tested('REUSE-R1.5/first-fix-fresh', 'the first fix is a fresh dispatch'),

  // R1.6: when a resume fails
  tested('REUSE-R1.6', 'a resume that errs is followed by a fresh dispatch with the full template'),
  tested('REUSE-R1.6/marker', '.review-history.md: "RESUME-FALLBACK: {agent_role} iteration {n} — {error summary}"'),
  tested('REUSE-R1.6/expired-cache', 'a resume after the cache expired is no error'),
  tested('REUSE-R1.6/only-errors', 'nothing but an error of API or tool counts as a failed resume'),

  // R1.7: what is never resumed
  tested('REUSE-R1.7/test-deepener', 'phases A and B of the test-deepener are two fresh dispatches'),
  tested('REUSE-R1.7/code-simplifier', 'the code-simplifier is dispatched once and never resumed'),

  // R1.8: old annotations
  notApplicable('REUSE-R1.8', 'notes on a fresh dispatch per iteration disappear from the commands', editsOtherProject),
  tested('REUSE-R1.8/resume-instead', 'in their place stands the resume with a delta'),

  // R1.9: final validation
  tested('REUSE-R1.9', 'in implement, reviewers that passed are dispatched again for final validation'),
  tested('REUSE-R1.9/resumes', 'final validation resumes a session that is still known, also with a cold cache'),
  tested('REUSE-R1.9/failed-resume', 'a resume that fails in final validation is followed by a fresh dispatch'),
  tested('REUSE-R1.9/state-persists', 'resume_state lasts for the loop, also for roles that paused in between'),
  tested('REUSE-R1.9/change-summary', 'a reviewer that had passed gets a list of the fixes since its last review'),

  // R1: acceptance
  tested('REUSE-R1/AC-resume', 'iteration 2 and later resume instead of starting a new session'),
  tested('REUSE-R1/AC-delta-only', 'a resumed prompt has the delta only: document diff, or git diff for implement'),
  tested('REUSE-R1/AC-size-guard', 'a delta above half of the first prompt leads to a fresh dispatch'),
  tested('REUSE-R1/AC-fallback', 'a failed resume goes fresh and is logged as RESUME-FALLBACK'),
  tested('REUSE-R1/AC-selective-status', 'selective re-dispatch still keeps a status for each reviewer'),
  tested('REUSE-R1/AC-same-verdicts', 'what approves and what rejects is the same, fresh or resumed'),

  // R4.1: order of a reviewer prompt
  tested('REUSE-R4.1', 'every prompt to a reviewer has its sections in the canonical order'),
  tested('REUSE-R4.1/stable-prefix', 'sections 1 to 3 are the same in all iterations'),
  tested('REUSE-R4.1/1-role', 'first: role, task and rubric'),
  tested('REUSE-R4.1/2-required-artifacts', 'second: the required artifacts, each with its path'),
  tested('REUSE-R4.1/2-must-read', 'the second section orders to read these files before reviewing'),
  tested('REUSE-R4.1/2-files-read', 'the second section asks for one "Files read:" line with names and line counts'),
  tested('REUSE-R4.1/3-json-schema', 'third: the JSON to return, with approved, issues with severity, and summary'),
  tested('REUSE-R4.1/dynamic-suffix', 'what changes from one iteration to the next comes after the stable sections'),
  tested('REUSE-R4.1/4-artifact', 'fourth: the present draft of the document under review'),
  tested('REUSE-R4.1/4-files', 'fourth, for implement: the list of implementation files'),
  tested('REUSE-R4.1/5-iteration', 'fifth: "This is iteration {n} of {max}."'),
  tested('REUSE-R4.1/5-previous-issues', 'fifth, after iteration 1: the previous issues to judge again'),

  // R4.2 and R4.3: where the order applies
  tested('REUSE-R4.2', 'a resumed prompt is dynamic throughout and not bound to the skeleton'),
  tested('REUSE-R4.2/fresh-only', 'the skeleton binds first dispatches and fresh fallbacks'),
  tested('REUSE-R4.3', 'in the prompt of the implementer nothing dynamic stands before something stable'),
  notApplicable('REUSE-R4.3/no-reordering', 'the skill that starts tasks is left in its order', editsOtherProject),

  // R4: acceptance
  tested('REUSE-R4/AC-order', 'all prompts of iteration 1 keep to the canonical order'),
  tested('REUSE-R4/AC-rubric-and-schema-first', 'rubric and schema come before the artifact and the iteration'),
  tested('REUSE-R4/AC-required-artifacts-first', 'the required artifacts come before the artifact under review'),
  tested('REUSE-R4/AC-shared-skeleton', 'the skeleton is written down once, for all roles'),

  // Affected files
  notApplicable('REUSE-FILES/specify', 'the specify command gets resume and new order', editsOtherProject),
  notApplicable('REUSE-FILES/design', 'the design command gets resume and new order', editsOtherProject),
  notApplicable('REUSE-FILES/create-plan', 'the create-plan command gets resume and new order', editsOtherProject),
  notApplicable('REUSE-FILES/create-tasks', 'the create-tasks command gets resume and new order', editsOtherProject),
  notApplicable('REUSE-FILES/implement', 'the implement command gets resume and new order', editsOtherProject),
  notApplicable('REUSE-FILES/no-skill-changes', 'skill files stay as they are', editsOtherProject),
  notApplicable('REUSE-FILES/no-agent-changes', 'agent files stay as they are', editsOtherProject),

  // Constraints
  tested('REUSE-C/no-regression', 'verdicts come about as before; only dispatch and prompt order differ'),
  tested('REUSE-C/lazy-load', 'required artifacts are named by path for the reviewer to read, never inlined'),
  tested('REUSE-C/role-pruning', 'each role is still given only the artifacts that it needs'),
  tested('REUSE-C/validation-gate', 'an agent that fails any of V1 to V4 is not resumed; R4 stays'),
  tested('REUSE-C/selective-redispatch', 'a status for each reviewer; only failed ones are dispatched again'),
  tested('REUSE-C/resume-only-redispatched', 'only reviewers that are dispatched again are resumed'),
  tested('REUSE-C/same-tools', 'the tools that a role may use are the same as without resuming'),
  tested('REUSE-C/A1', 'shorter prompts are the gain that is claimed; savings by a cache are not promised'),

  // Non-functional
  tested('REUSE-NFR1', 'every resumed prompt has fewer characters than the first prompt'),
  tested('REUSE-NFR1/compared', 'this is shown by comparing the prompts that the templates produce'),
  tested('REUSE-NFR2', 'failed resumes can be followed by their RESUME-FALLBACK markers in .review-history.md'),
  tested('REUSE-NFR2/simulated-failure', 'a resume with an invalid session id writes that marker'),
  tested('REUSE-NFR3', 'five iterations with resume send under half the characters of five fresh dispatches'),
  tested('REUSE-NFR3/from-templates', 'the figure is computed from prompt lengths and not from token counts'),

  // Monitoring
  tested('REUSE-MON/after-three-features', 'the rates are judged once three features were done'),
  tested('REUSE-MON/resume-fallback-rate', 'more than 20 % failed resumes call for escalation'),
  tested(
    'REUSE-MON/delta-guard-rate',
    'a guard that trips in over 50 % of document iterations calls for another limit',
  ),
  tested(
    'REUSE-MON/lazy-load-warning-rate',
    'LAZY-LOAD-WARNING in over 20 % of dispatches puts the order to read in doubt',
  ),

  // Test strategy
  tested('REUSE-TEST/resume-validation', 'V1 to V4 run before anything is resumed, and their results are kept'),
  notApplicable(
    'REUSE-TEST/annotation-audit',
    'no note on a fresh dispatch per iteration is left',
    'a text search over files of another project',
  ),
  tested('REUSE-TEST/resume-pattern-audit', 'the review loops of all five phases are seen to resume'),
  tested(
    'REUSE-TEST/prompt-order-audit',
    'for each phase: rubric, artifacts, schema, content, iteration, in this order',
  ),
  tested('REUSE-TEST/fallback-tracking', 'an invalid session id leads to a well-formed marker in .review-history.md'),
  tested('REUSE-TEST/nfr3', 'one phase: one fresh and four resumed prompts are under half of five fresh ones'),
  tested(
    'REUSE-TEST/end-to-end/two-iterations',
    'a spec with a gap goes through specify and needs two iterations or more',
  ),
  tested('REUSE-TEST/end-to-end/iteration-1-fresh', 'there, iteration 1 is fresh with full context'),
  tested('REUSE-TEST/end-to-end/iteration-2-resumed', 'there, iteration 2 is resumed with the diff only'),
  tested('REUSE-TEST/end-to-end/same-outcome', 'there, the outcome is as good as with fresh dispatches'),
  tested('REUSE-TEST/end-to-end/no-fallback', 'there, .review-history.md has no RESUME-FALLBACK'),
];

const reuseDesign: readonly Requirement[] = [
  // Flow, where the sections below do not say it
  tested('REUSE-FLOW/gate-passed', 'an agent that passed V1 to V4 gets resumed sessions and ordered prompts'),
  tested(
    'REUSE-FLOW/verdict-parsed',
    'after each dispatch, fresh or resumed, the JSON is read and decides pass or fail',
  ),
  tested('REUSE-FLOW/implement/three-sessions', 'implement keeps one session for each of its three reviewers'),
  tested('REUSE-FLOW/implement/only-failed', 'after iteration 1 only failed reviewers are dispatched'),
  tested('REUSE-FLOW/implement/passed-rest', 'a reviewer that passed is not dispatched and keeps its session'),
  tested('REUSE-FLOW/implement/final-validation-all', 'final validation dispatches all three reviewers'),
  tested('REUSE-FLOW/implement/regression', 'a reviewer that fails final validation goes back into the fix cycle'),
  tested('REUSE-FLOW/implement/regression-session', 'that reviewer keeps its session for the next resume'),

  // Order of each reviewer prompt
  tested('REUSE-R4-ROW/static-top', 'all static text of a prompt stands at its top'),
  tested('REUSE-R4-ROW/dynamic-bottom', 'all changing text of a prompt stands at its bottom'),
  tested('REUSE-R4-ROW/spec-reviewer', 'rubric, coda, artifacts, JSON, content, iteration'),
  tested('REUSE-R4-ROW/design-reviewer', 'rubric, coda, artifacts, JSON, content, iteration'),
  tested('REUSE-R4-ROW/plan-reviewer', 'rubric, artifacts, JSON, content'),
  tested('REUSE-R4-ROW/task-reviewer', 'rubric, artifacts, checklist, JSON, content'),
  tested('REUSE-R4-ROW/implementation-reviewer', 'rubric, artifacts, levels, JSON, file list'),
  tested('REUSE-R4-ROW/code-quality-reviewer', 'rubric, artifacts, checklist, JSON, file list'),
  tested('REUSE-R4-ROW/security-reviewer', 'rubric, artifacts, checklist, JSON, file list'),
  tested('REUSE-R4-ROW/phase-reviewer', 'rubric, artifacts, next phase, JSON, domain outcome, iteration'),
  tested(
    'REUSE-R4-ROW/fresh-only',
    'the order is that of fresh prompts, first ones and fallbacks; not of resumed ones',
  ),

  // TD1: order of the work
  notApplicable('REUSE-TD1', 'prompts are reordered first, resuming follows', orderOfWork),
  tested('REUSE-TD1/r4-independent', 'ordered prompts are used also where resuming is not possible'),
  tested('REUSE-TD1/r4-baseline', 'the ordered template is also the one that a fallback uses'),

  // TD2: commits and diffs
  tested('REUSE-TD2', 'after every revision there is a commit, and the delta is the git diff since the last one seen'),
  tested('REUSE-TD2/unified', 'documents and code get their deltas in the same way'),
  tested('REUSE-TD2/commit-message', 'the message of the commit names phase and iteration'),
  tested('REUSE-TD2/phase/commit', 'a document phase commits the revised document'),
  tested('REUSE-TD2/phase/no-changes', 'a document that did not change: no commit and a fresh dispatch'),
  tested('REUSE-TD2/phase/no-changes-reset', 'that fresh dispatch replaces what is kept for the role'),
  tested('REUSE-TD2/phase/delta', 'the delta of a document phase is the diff of the document alone'),
  tested('REUSE-TD2/phase/sha-updated', 'the new commit becomes the one that the role saw last'),
  tested('REUSE-TD2/implement/commit', 'implement commits what the implementer fixed'),
  tested('REUSE-TD2/implement/commit-message', 'the message of a fix commit ends in fixes'),
  tested('REUSE-TD2/implement/no-changes', 'a fix without changes: fresh dispatch'),
  tested('REUSE-TD2/implement/delta', 'the delta of implement is the stat followed by the full diff'),
  tested('REUSE-TD2/implement/sha-updated', 'the new commit becomes the one that the role saw last'),
  tested('REUSE-TD2/fallback/git-error', 'an error of git in commit or diff makes the dispatch fresh'),
  tested('REUSE-TD2/fallback/size-guard', 'a diff above half of the first prompt makes the dispatch fresh'),
  tested('REUSE-TD2/fallback/lost-sha', 'a lost commit id makes the dispatch a fresh fallback (I3)'),
  tested('REUSE-TD2/fallback/new-baseline', 'after that fallback later iterations have a base to diff against again'),
  notApplicable(
    'REUSE-TD2/working-commits',
    'the commits of the iterations stay in the history after a merge',
    'concerns how another project merges its features',
  ),
  notApplicable('REUSE-TD3', 'a commit for each iteration', 'the text merged it into TD2'),

  // TD4: how long sessions are kept
  tested('REUSE-TD4', 'resume_state lasts for the whole loop, final validation included'),
  tested('REUSE-TD4/replaced-by-fresh-only', 'it changes sessions only where a fresh dispatch replaces a resume'),
  tested('REUSE-TD4/idle-roles', 'the session of a role outlives iterations in which the role paused'),
  tested('REUSE-TD4/not-persisted', 'it belongs to one execution and is not on disk, nor in .meta.json'),
  tested('REUSE-TD4/crash', 'after a crash the loop starts with fresh dispatches and no stale session'),
  tested('REUSE-TD4/rerun', 'a rerun after manual fixes drops all sessions and starts fresh'),

  // TD5: the limit
  tested('REUSE-TD5', 'a delta of more than half the characters of the first prompt: fresh dispatch'),
  tested('REUSE-TD5/measurement', 'the delta prompt is measured against iteration1_prompt_length of the role'),
  tested('REUSE-TD5/revisable', 'the limit can be revised from what monitoring shows'),

  // TD6: no list of artifacts when resumed
  tested('REUSE-TD6', 'resumed prompts do not list required artifacts'),
  tested('REUSE-TD6/begins-with-delta', 'they begin by saying what is in context and that changes follow'),
  tested('REUSE-TD6/fallback', 'a fresh fallback has the full template, required artifacts included'),

  // TD7: the marker
  tested('REUSE-TD7', '"RESUME-FALLBACK: {agent_role} iteration {n} — {error summary}" in .review-history.md'),
  tested('REUSE-TD7/own-line', 'it is a line of its own inside the entry of the present iteration'),
  tested('REUSE-TD7/countable', 'a text search over the histories counts the fallbacks'),

  // TD8: one skeleton
  tested('REUSE-TD8', 'the skeleton is defined once and all five phases use it'),
  tested('REUSE-TD8/deviations', 'where a phase deviates from it, that is written down'),

  // I1-R4: the fresh prompt
  tested('REUSE-I1-R4/used-for-fresh', 'all fresh dispatches use it, in iteration 1 and as fallback'),
  tested('REUSE-I1-R4/description', 'the dispatch carries a description of the review'),
  tested('REUSE-I1-R4/agent-type', 'the dispatch names the role'),
  tested('REUSE-I1-R4/model', 'the dispatch names the model'),
  tested('REUSE-I1-R4/stable-prefix', 'the first part is the same in all iterations of a role'),
  tested('REUSE-I1-R4/rubric', 'it opens with task and rubric of the role'),
  tested('REUSE-I1-R4/rubric-coda', 'the coda, where the role has one, follows the rubric: be the skeptic, find gaps'),
  tested('REUSE-I1-R4/artifacts-heading', 'then "## Required Artifacts"'),
  tested('REUSE-I1-R4/must-read', 'below it, the order to read the files before the review'),
  tested('REUSE-I1-R4/files-read', 'and the request for one line "Files read: {name} ({N} lines), ..."'),
  tested('REUSE-I1-R4/artifact-lines', 'one line "- {Artifact Name}: {path}" for each artifact of the role'),
  tested('REUSE-I1-R4/prd-resolved', 'the path of the PRD is resolved, others are in the feature folder'),
  tested('REUSE-I1-R4/no-prd', 'without a PRD the line is "- PRD: No PRD — feature created without brainstorm"'),
  tested('REUSE-I1-R4/checklist', 'the checklist or levels of the role, where it has them, follow the artifacts'),
  tested('REUSE-I1-R4/return-json', 'then "Return your assessment as JSON:" with the schema of the role'),
  tested('REUSE-I1-R4/dynamic-suffix', 'what changes between iterations begins only after the schema'),
  tested('REUSE-I1-R4/artifact', 'document phases: a heading and the content of the document under review'),
  tested('REUSE-I1-R4/implementation-files', 'implement: "## Implementation Files" and the list of files'),
  tested('REUSE-I1-R4/iteration-heading', 'last, "## Iteration Context", for the roles that have it'),
  tested('REUSE-I1-R4/iteration-line', 'in it "This is iteration {n} of {max}."'),
  tested('REUSE-I1-R4/previous-issues', 'after iteration 1 "Previous issues to re-evaluate:" and their list'),

  // I1-R4: what moved
  tested('REUSE-I1-R4/moved/schema', 'the schema stands directly behind artifacts and checklist, before dynamic text'),
  tested('REUSE-I1-R4/moved/coda', 'the coda stands with the rubric'),
  tested('REUSE-I1-R4/moved/checklists', 'checklists and levels stand above the artifact'),
  tested('REUSE-I1-R4/moved/static-first', 'no static text comes after dynamic text'),

  // I1-R4: deviations
  tested('REUSE-I1-R4/spec-reviewer/artifact-inline', 'spec.md is inline as artifact under review, not a required one'),
  tested('REUSE-I1-R4/spec-reviewer/prd-only', 'the PRD is its only required artifact'),
  tested('REUSE-I1-R4/spec-reviewer/coda', 'its coda is in section 1, before the schema'),
  tested('REUSE-I1-R4/design-reviewer/coda', 'its coda is in section 1, before the schema'),
  tested('REUSE-I1-R4/design-reviewer/suggestion-field', 'its schema calls the field suggestion, as all others do'),
  tested('REUSE-I1-R4/design-reviewer/challenge-field', 'answers that call this field challenge are read as well'),
  tested('REUSE-I1-R4/plan-reviewer/compact-schema', 'its schema is one line: approved, issues, summary'),
  tested('REUSE-I1-R4/plan-reviewer/no-category', 'its issues have no category'),
  tested('REUSE-I1-R4/plan-reviewer/no-iteration-context', 'it has no iteration context'),
  tested('REUSE-I1-R4/task-reviewer/task-field', 'its issues have task in place of location'),
  tested('REUSE-I1-R4/task-reviewer/no-category', 'its issues have no category'),
  tested(
    'REUSE-I1-R4/task-reviewer/checklist',
    'checklist: plan fidelity, executability, size, dependencies, testability',
  ),
  tested('REUSE-I1-R4/task-reviewer/checklist-position', 'that checklist stands above the dynamic part'),
  tested('REUSE-I1-R4/implementation-reviewer/schema', 'it has a schema block in place of a sentence about the answer'),
  tested('REUSE-I1-R4/implementation-reviewer/fields', 'its schema has approval, level results, issues and evidence'),
  tested('REUSE-I1-R4/implementation-reviewer/levels', 'the order to validate all 4 levels is in the stable part'),
  tested('REUSE-I1-R4/code-quality-reviewer/categories', 'categories: readability|kiss|yagni|formatting|flow'),
  tested('REUSE-I1-R4/code-quality-reviewer/checklist', 'its checklist stands above the file list'),
  tested('REUSE-I1-R4/security-reviewer/categories', 'categories: injection|auth|crypto|exposure|config'),
  tested('REUSE-I1-R4/security-reviewer/checklist', 'its checklist stands above the file list'),
  tested('REUSE-I1-R4/phase-reviewer/next-phase', '"Next Phase Expectations" is in the stable part'),
  tested('REUSE-I1-R4/phase-reviewer/domain-outcome', '"Domain Reviewer Outcome" is in the dynamic part'),
  tested('REUSE-I1-R4/phase-reviewer/schema', 'its schema comes before domain outcome and iteration context'),
  tested(
    'REUSE-I1-R4/implement/files-section',
    'its reviewers have "Implementation Files" where others have the document',
  ),
  tested('REUSE-I1-R4/implement/files-listed', 'the files are listed inline and read by the reviewer itself'),

  // I2: the resumed prompt
  tested('REUSE-I2/used-with-session', 'it is used where the role has a session'),
  tested('REUSE-I2/used-within-limit', 'it is used up to and including half of the first prompt'),
  tested('REUSE-I2/resume-id', 'the dispatch resumes the session kept for the role'),
  tested('REUSE-I2/opening', 'it opens: artifacts and the previous version of {artifact_name} are in context'),
  tested('REUSE-I2/changes-line', 'it says that the changes address the previous issues'),
  tested('REUSE-I2/delta-heading', 'then "## Delta"'),
  tested('REUSE-I2/delta-phase', 'under it, for a document phase, the diff of the document'),
  tested('REUSE-I2/delta-implement', 'under it, for implement, the stat and the full diff'),
  tested('REUSE-I2/fix-summary-heading', 'then "## Fix Summary"'),
  tested('REUSE-I2/fix-summary-phase', 'under it, for a document phase, the summary of the revision'),
  tested('REUSE-I2/fix-summary-implement', 'under it, for implement, the summary of the implementer'),
  tested('REUSE-I2/task', 'then the request to judge whether issues are resolved and fixes brought new ones'),
  tested('REUSE-I2/iteration-line', 'then "This is iteration {n} of {max}."'),
  tested('REUSE-I2/return-json', 'last, "Return your assessment as JSON:"'),
  tested('REUSE-I2/schema', 'approved, issues (severity, category, description, location, suggestion), summary'),
  tested('REUSE-I2/no-required-artifacts', 'the prompt has no block of required artifacts'),
  tested('REUSE-I2/no-rubric', 'the rubric is not repeated'),
  tested('REUSE-I2/delta-is-payload', 'the delta is the main part of it'),
  tested('REUSE-I2/schema-repeated', 'the schema is repeated'),

  // I2-FV: the resumed prompt of final validation
  tested('REUSE-I2-FV/used-when', 'it is used for a reviewer that passed and is resumed for final validation'),
  tested('REUSE-I2-FV/no-size-guard', 'the limit of 50 % does not apply, however large the diff is'),
  tested('REUSE-I2-FV/failed-resume', 'a failed resume leads to I3 with full context'),
  tested('REUSE-I2-FV/resume-id', 'the dispatch resumes the session kept for the role'),
  tested('REUSE-I2-FV/opening', 'it opens: artifacts and files are in context from the review at iteration {n}'),
  tested('REUSE-I2-FV/since-line', 'it says that fixes were made since, for issues of other reviewers'),
  tested('REUSE-I2-FV/changes-heading', 'then "## Changes Since Your Last Review"'),
  tested('REUSE-I2-FV/stat', 'under it the stat from the state at its last review to now'),
  tested('REUSE-I2-FV/diff', 'and the diff from the state at its last review to now'),
  tested('REUSE-I2-FV/fix-summary-heading', 'then "## Fix Summary"'),
  tested('REUSE-I2-FV/fix-summary', 'under it the summaries of all fixes in between'),
  tested('REUSE-I2-FV/task', 'then the request for a full regression check of the approval and for new issues'),
  tested('REUSE-I2-FV/iteration-line', '"This is the final validation round (iteration {n} of {max})."'),
  tested('REUSE-I2-FV/return-json', 'last, "Return your assessment as JSON:"'),
  tested('REUSE-I2-FV/schema', 'approved, issues (severity, category, description, location, suggestion), summary'),

  // I3: the fresh fallback
  tested('REUSE-I3/used-when', 'it is used where a resume failed by an error of API or tool'),
  tested('REUSE-I3/like-fresh', 'but for its iteration context it equals the fresh prompt'),
  tested('REUSE-I3/iteration-line', 'its iteration context has "This is iteration {n} of {max}."'),
  tested('REUSE-I3/fresh-line', 'and "(Fresh dispatch — prior review session unavailable.)"'),
  tested('REUSE-I3/previous-issues', 'and "Previous issues to re-evaluate:" with those of the previous iteration'),
  tested('REUSE-I3/marker', 'it appends the RESUME-FALLBACK line to .review-history.md'),

  // I4: artifacts by role, implement
  tested('REUSE-I4/implementation-reviewer', 'prd.md, spec.md, design.md, plan.md, tasks.md'),
  tested('REUSE-I4/code-quality-reviewer', 'design.md, spec.md'),
  tested('REUSE-I4/security-reviewer', 'design.md, spec.md'),
  tested('REUSE-I4/code-simplifier', 'design.md'),
  tested('REUSE-I4/test-deepener', 'spec.md, design.md, tasks.md, prd.md'),
  tested('REUSE-I4/implementer', 'prd.md, spec.md, design.md, plan.md, tasks.md'),

  // I5: artifacts by role, document phases
  tested('REUSE-I5/specify/spec-reviewer', 'prd.md'),
  tested('REUSE-I5/specify/phase-reviewer', 'prd.md, spec.md'),
  tested('REUSE-I5/design/design-reviewer', 'prd.md, spec.md'),
  tested('REUSE-I5/design/phase-reviewer', 'prd.md, spec.md, design.md'),
  tested('REUSE-I5/create-plan/plan-reviewer', 'prd.md, spec.md, design.md'),
  tested('REUSE-I5/create-plan/phase-reviewer', 'prd.md, spec.md, design.md, plan.md'),
  tested('REUSE-I5/create-tasks/task-reviewer', 'prd.md, spec.md, design.md, plan.md'),
  tested('REUSE-I5/create-tasks/phase-reviewer', 'prd.md, spec.md, design.md, plan.md, tasks.md'),

  // I6: what is kept for a role
  tested('REUSE-I6/agent-id', 'agent_id is the session that the dispatch returned'),
  tested(
    'REUSE-I6/iteration1-prompt-length',
    'iteration1_prompt_length is the length of the first prompt in characters',
  ),
  tested('REUSE-I6/last-iteration', 'last_iteration is the iteration of the last dispatch of the role'),
  tested('REUSE-I6/last-commit-sha', 'last_commit_sha is the state that the role saw last'),
  tested('REUSE-I6/phase-diff', 'document phases: the diff from last_commit_sha, of the document alone'),
  tested(
    'REUSE-I6/implement-diff',
    'implement: the diff from last_commit_sha shows what changed since the role looked',
  ),
  tested('REUSE-I6/final-validation-diff', 'final validation diffs from last_commit_sha too'),
  tested('REUSE-I6/created', 'after iteration 1 the entry gets session and prompt length'),
  tested('REUSE-I6/created-sha', 'after iteration 1 the entry gets the commit of that iteration'),
  tested('REUSE-I6/updated', 'each later dispatch of the role updates last_iteration and last_commit_sha'),
  tested('REUSE-I6/reset', 'a fresh dispatch in place of a resume puts in its own session and prompt length'),
  tested('REUSE-I6/in-memory', 'it is in memory for one loop and never on disk'),
  tested('REUSE-I6/keys-phases', 'keys: spec-reviewer, phase-reviewer, design-reviewer, plan-reviewer, task-reviewer'),
  tested('REUSE-I6/keys-implement', 'keys: implementation-, code-quality-, security-reviewer and implementer'),

  // I7: the implementer, fresh
  tested('REUSE-I7/fresh/used-when', 'the first fix uses it'),
  tested('REUSE-I7/fresh/description', 'the description is "Fix review issues iteration {n}"'),
  tested('REUSE-I7/fresh/role', 'the role is implementer'),
  tested('REUSE-I7/fresh/model', 'the model is opus'),
  tested('REUSE-I7/fresh/opening', 'it opens with "Fix the following review issues:"'),
  tested('REUSE-I7/fresh/artifacts-heading', 'then "## Required Artifacts"'),
  tested('REUSE-I7/fresh/must-read', 'below it, the order to read the files before the work'),
  tested('REUSE-I7/fresh/files-read', 'and the request for one line "Files read: {name} ({N} lines), ..."'),
  tested('REUSE-I7/fresh/prd-line', 'the PRD line is as I8 resolves it'),
  tested('REUSE-I7/fresh/artifact-lines', 'lines for spec, design, plan and tasks with their paths'),
  tested('REUSE-I7/fresh/all-files', '"## All Implementation Files" lists all files of the task'),
  tested('REUSE-I7/fresh/issues', '"## Issues to Fix" lists the issues of the failed reviewers'),

  // I7: the implementer, resumed
  tested('REUSE-I7/resumed/used-when', 'the second fix and later ones use it'),
  tested('REUSE-I7/resumed/resume-id', 'the dispatch resumes the session kept for the implementer'),
  tested('REUSE-I7/resumed/opening', 'it opens: artifacts and files are in context from the previous fix session'),
  tested('REUSE-I7/resumed/new-issues', '"## New Issues to Fix" lists the issues of reviewers that failed this time'),
  tested('REUSE-I7/resumed/changed-files', '"## Changed Files to Re-read" lists what changed since the last fix'),
  tested('REUSE-I7/resumed/all-files', '"## All Implementation Files (for reference)" lists all files of the task'),
  tested('REUSE-I7/resumed/closing', 'it ends by asking to fix all of them and to summarise what was changed'),

  // I8, I9: carried over
  tested('REUSE-I8', 'wherever a role has prd.md, its line comes from the same resolution'),
  tested('REUSE-I9', 'an answer is checked for confirmed reads before its JSON is read'),

  // I10: the validation
  tested('REUSE-I10/once', 'validation runs once, before anything is resumed'),
  notApplicable('REUSE-I10/first-task', 'validation is the first task of the implementation', orderOfWork),
  tested('REUSE-I10/V1', 'a foreground dispatch is asked to review a file and quote its first line'),
  tested('REUSE-I10/V1/pass', 'V1 passes if the result has a session id, else resuming is blocked'),
  tested('REUSE-I10/V2', 'the session of V1 is resumed and asked whether it can still respond'),
  tested('REUSE-I10/V2/pass', 'V2 passes if an answer comes without API error, else resuming is blocked'),
  tested('REUSE-I10/V3', 'resumed, it is asked for the first line of the file that it read'),
  tested('REUSE-I10/V3/pass', 'V3 passes if that is the exact line, else resuming is blocked'),
  tested('REUSE-I10/V4', 'resumed, it is asked how many issues it found in V1'),
  tested('REUSE-I10/V4/pass', 'V4 passes if the number is that of the V1 answer, else resuming is blocked'),
  tested('REUSE-I10/decision-gate', 'all four must pass'),
  tested('REUSE-I10/record', 'a failure is recorded as r1_deferred_reason "{test_id}: {failure description}"'),
  tested('REUSE-I10/r4-only', 'after a failure R4 is used alone'),
  tested('REUSE-I10/no-resume', 'after a failure nothing is resumed'),

  // The template in implement
  tested('REUSE-MATRIX/reviewer-iteration-1', 'iteration 1, all three reviewers: I1-R4'),
  tested('REUSE-MATRIX/reviewer-iteration-1/session', 'their sessions are stored'),
  tested('REUSE-MATRIX/reviewer-failed', 'a failed reviewer with a session and a delta up to 50 %: I2'),
  tested('REUSE-MATRIX/reviewer-failed/delta', 'its delta is the git diff from the commit of the iteration'),
  tested('REUSE-MATRIX/reviewer-delta-too-large', 'a failed reviewer with a delta above 50 %: I1-R4'),
  tested('REUSE-MATRIX/reviewer-delta-too-large/reset', 'what is kept for that role is replaced'),
  tested('REUSE-MATRIX/reviewer-resume-error', 'a resume that errs: I3 and a RESUME-FALLBACK line'),
  tested('REUSE-MATRIX/reviewer-resume-error/reset', 'what is kept for that role is replaced'),
  tested('REUSE-MATRIX/final-validation-passed', 'a passed reviewer in final validation: I2-FV'),
  tested('REUSE-MATRIX/final-validation-passed/diff', 'its diff starts at last_commit_sha'),
  tested('REUSE-MATRIX/final-validation-resume-error', 'an I2-FV resume that errs: I3 and a RESUME-FALLBACK line'),
  tested('REUSE-MATRIX/final-validation-resume-error/full', 'it has the full fresh context'),
  tested('REUSE-MATRIX/implementer-first-fix', 'the first fix: I7 fresh'),
  tested('REUSE-MATRIX/implementer-first-fix/session', 'the session of the implementer is stored'),
  tested('REUSE-MATRIX/implementer-later-fix', 'a later fix with a delta up to 50 %: I7 resumed'),
  tested('REUSE-MATRIX/implementer-later-fix/delta', 'its delta is the list of new issues'),
  tested('REUSE-MATRIX/implementer-delta-too-large', 'a later fix with a delta above 50 %: I7 fresh'),
  tested('REUSE-MATRIX/implementer-delta-too-large/reset', 'what is kept for the implementer is replaced'),

  // Differences that agents see
  tested('REUSE-BEHAVIOUR/reviewers-delta', 'from iteration 2 on reviewers get the delta by resume, not full context'),
  tested('REUSE-BEHAVIOUR/reviewers-schema', 'in fresh prompts the schema, itself unchanged, precedes the artifact'),
  tested(
    'REUSE-BEHAVIOUR/implementer',
    'from the second fix on the implementer gets issues and changed paths by resume',
  ),
  tested('REUSE-BEHAVIOUR/final-validation', 'a reviewer in final validation gets the diff since its last review'),
  tested('REUSE-BEHAVIOUR/same-verdicts', 'what approves and what rejects does not change'),
  tested('REUSE-BEHAVIOUR/same-schema', 'the format of the answers does not change'),
  tested('REUSE-BEHAVIOUR/same-thresholds', 'the strict thresholds for a pass do not change'),
  tested('REUSE-BEHAVIOUR/same-selection', 'which reviewers are dispatched again does not change'),

  // File changes
  notApplicable('REUSE-FILE-CHANGES/specify', 'order, resume, annotations and diffs in specify', editsOtherProject),
  notApplicable('REUSE-FILE-CHANGES/design', 'order, resume, annotations and diffs in design', editsOtherProject),
  notApplicable(
    'REUSE-FILE-CHANGES/create-plan',
    'order, resume, annotations, diffs in create-plan',
    editsOtherProject,
  ),
  notApplicable(
    'REUSE-FILE-CHANGES/create-tasks',
    'order, resume, annotations, diffs in create-tasks',
    editsOtherProject,
  ),
  notApplicable('REUSE-FILE-CHANGES/implement', 'order, schema, resume and diffs in implement', editsOtherProject),
  tested('REUSE-FILE-CHANGES/meta-json', '.meta.json has r1_deferred_reason only where a validation test failed'),
  notApplicable('REUSE-FILE-CHANGES/no-agent-changes', 'agent files stay as they are', editsOtherProject),
  notApplicable('REUSE-FILE-CHANGES/no-implementing-skill', 'the skill that starts tasks stays', editsOtherProject),
  notApplicable('REUSE-FILE-CHANGES/no-brainstorming-skill', 'the brainstorming skill stays', editsOtherProject),
  notApplicable('REUSE-FILE-CHANGES/no-research', 'research dispatches of design are not resumed', editsOtherProject),

  // Sequence
  notApplicable('REUSE-SEQUENCE/1-validation', 'first the validation', orderOfWork),
  notApplicable('REUSE-SEQUENCE/2-reordering', 'then the order of prompts, whatever validation said', orderOfWork),
  notApplicable('REUSE-SEQUENCE/3-resume', 'then resuming, if validation passed', orderOfWork),
  notApplicable('REUSE-SEQUENCE/4-annotations', 'then the removal of annotations', editsOtherProject),
  notApplicable('REUSE-SEQUENCE/5-verification', 'then audits and the figure of NFR3', orderOfWork),
];

export const requirements: readonly Requirement[] = [
  ...passCaching,
  ...qualityReview,
  ...runSlots,
  ...reuseSpec,
  ...reuseDesign,
];
