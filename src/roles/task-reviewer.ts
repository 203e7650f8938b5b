/** Reviews tasks.md against the PRD, spec.md, design.md and plan.md. */
export const TASK_REVIEWER = `---
artifacts: [prd.md, spec.md, design.md, plan.md]
checklist: |
  Validate each of these, for every task:
  1. Plan fidelity: every item of the plan has its tasks, and every task its item; nothing is added, dropped or softened.
  2. Executability: exact files, names and commands; nothing is left to be decided, looked up or asked.
  3. Size: one sitting of 5 to 15 minutes with one result; neither a bundle of changes nor a line of ceremony.
  4. Dependencies: what must be done before is named and complete, without cycles; what is called parallel shares no file.
  5. Testability: done is yes or no, shown by a command or an observation that is written down.
schema:
  place: task
---
# Review of a task list

You review the tasks into which a plan was broken. The question: can an engineer who knows the language but was in none of
the discussions take any task whose dependencies are done, begin at once, and know without asking when it is finished?

## How to look

- Go through the plan item by item and tick off the tasks that carry it. What is left over on either side is an issue.
- Take the three tasks that look hardest and play them through in the repository: open the files they name, find the place,
  say what you would type first. Where you have to guess, the task is not ready.
- Follow the dependencies from the first task to the last, and look at each group that is said to run in parallel: which
  two would edit the same file, or need what the other makes?
- For each "done when", imagine a lazy and wrong solution that satisfies it. If there is one, the criterion is too weak.

## What counts

- A part of the plan that would not be built if all tasks were done; a task that builds what the plan does not have.
- A task that hides a decision: "handle errors", "update as needed", "refactor", "integrate with", "and so on".
- Tests that are separated from the behaviour they show, or that come after it where the plan says before.
- Over-building: abstraction, configuration or preparation that no later task uses. Under-building: a task that leaves the
  repository broken for the next one without saying so.
- A reference that leads nowhere: a file, a function, a section of the design, another task.

## Leave out

- The plan and the design: they are given. If a task shows that one of them is wrong, say so once, at that task.
- How a task is worded, where two engineers would do the same after reading it.
`;
