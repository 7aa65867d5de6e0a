/** Rules for workflows that actionlint doesn't have. */

/** The owners whose actions workflows may use. The code of other actions could change without a review. */
const allowedOwners = ['actions'];

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs?: Readonly<Record<string, Job>>;
}

interface Job {
  readonly 'timeout-minutes'?: unknown;
  readonly steps?: readonly { readonly uses?: string; readonly with?: Readonly<Record<string, unknown>> }[];
}

/**
 * Returns the faults of a workflow.
 *
 * @example
 * workflowFaults({ jobs: { a: { steps: [{ uses: 'other/action@v1' }] } } }); // ["doesn't declare its permissions", …]
 */
export function workflowFaults(given: unknown): string[] {
  const { permissions, jobs = {} } = given as Workflow;
  const faults: string[] = [];
  // Without this, the token can have write access to everything, depending on the repository's settings.
  if (permissions === undefined) faults.push("doesn't declare its permissions");
  for (const [name, { steps = [], ...job }] of Object.entries(jobs)) {
    if (job['timeout-minutes'] === undefined) faults.push(`job ${name} has no timeout-minutes`);
    for (const { uses = '', with: input } of steps) {
      if (uses === '' || uses.startsWith('./')) continue;
      const [owner = ''] = uses.split('/');
      if (!allowedOwners.includes(owner)) faults.push(`job ${name} uses ${uses}, whose owner isn't allowed`);
      // Otherwise, every later step can use the token.
      if (uses.startsWith('actions/checkout@') && input?.['persist-credentials'] !== false)
        faults.push(`job ${name} keeps the credentials of actions/checkout`);
    }
  }
  return faults;
}
