/** Runs the checksum tests over the S3 protocol with files in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../s3/checksums.test.ts', import.meta.url));
