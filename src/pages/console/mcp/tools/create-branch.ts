/** Creates a branch. Replaces upstream's tool of the same name, which first asks for a confirmation of the price. */
import { z } from 'zod';
import { type McpDeps, ownTool } from '../types.ts';

export const createBranch = ({ management }: Pick<McpDeps, 'management'>) =>
  ownTool({
    name: 'create_branch',
    title: 'Create a branch',
    description:
      "Creates a branch, which is a copy of the project with its own database, URL and keys. Without data, the branch has the project's migrations and seeds. The result contains the branch's project_ref and api_url. While its status is CREATING_PROJECT, check it with list_branches.",
    feature: 'branching',
    requires: 'write',
    changes: true,
    input: z.object({
      name: z.string().min(1).max(100).describe('Name of the branch.'),
      with_data: z
        .boolean()
        .default(false)
        .describe('Whether the branch gets a copy of the data and the objects.'),
      mask: z
        .boolean()
        .optional()
        .describe('Whether emails, names and phone numbers in the copy are replaced.'),
      // Agents that know upstream's tool may send its confirmation.
      confirm_cost_id: z.string().optional().describe('Ignored, because branches are free.'),
    }),
    async run({ name, with_data, mask }, { caller }) {
      const wanted = { branch_name: name, with_data, ...(mask === undefined ? {} : { mask }) };
      return { trusted: await management.call('createBranch', wanted, caller) };
    },
  });
