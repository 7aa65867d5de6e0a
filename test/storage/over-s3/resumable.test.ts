/** Runs the resumable upload tests with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../resumable.test.ts', import.meta.url));
