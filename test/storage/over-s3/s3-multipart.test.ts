/** Runs the multipart upload tests over the S3 protocol with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../s3/multipart.test.ts', import.meta.url));
