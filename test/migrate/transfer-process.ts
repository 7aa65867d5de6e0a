/** Runs a migration in a process that a test can kill. Prints each progress message as a line. */
import { type EndOptions, transfer } from '../../src/project/migrate/index.ts';

const { source, target } = JSON.parse(process.env.MIGRATION_ENDS ?? '{}') as {
  source: EndOptions;
  target: EndOptions;
};
const report = await transfer({
  source,
  target,
  startJobs: false,
  keepGoing: false,
  overwrite: false,
  parallel: 2,
  onProgress: (message) => process.stdout.write(`${message}\n`),
});
process.stdout.write(`complete: ${report.complete}\n`);
process.exit(0);
