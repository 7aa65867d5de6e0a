/** Uncompleted S3 multipart uploads, with bytes in S3. */
import { onS3 } from '../backends.ts';

onS3();
await import('../multipart-expiry.test.ts');
