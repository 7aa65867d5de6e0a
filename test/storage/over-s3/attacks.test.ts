/** Runs the REST attack tests with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../attacks.test.ts', import.meta.url));
