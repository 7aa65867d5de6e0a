/** Runs the expiry tests for S3 multipart uploads with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../multipart-expiry.test.ts', import.meta.url));
