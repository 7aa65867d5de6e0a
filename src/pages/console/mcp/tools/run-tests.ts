/** Runs the project's pgTAP tests. */
import { z } from 'zod';
import { ownTool, type RunTests } from '../types.ts';

export const runTestsTool = (runTests: RunTests) =>
  ownTool({
    name: 'run_tests',
    title: 'Run database tests',
    description:
      'Runs the pgTAP tests in supabase/tests and returns the report. Each test file rolls back its changes if it contains begin and rollback.',
    feature: 'development',
    requires: 'write',
    changes: true,
    input: z.object({
      paths: z
        .array(z.string().min(1).max(500))
        .max(50)
        .default([])
        .describe(
          'Files or folders below supabase/tests, for example ["policies_test.sql"]. Default: all files.',
        ),
    }),
    run: async ({ paths }) => ({ untrusted: await runTests(paths) }),
  });
