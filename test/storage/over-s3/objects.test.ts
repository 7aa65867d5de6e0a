/** Runs the REST object tests with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../objects.test.ts', import.meta.url));
