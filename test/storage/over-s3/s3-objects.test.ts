/** Objects over the S3 protocol with bytes in S3. */
import { onS3 } from '../backends.ts';

onS3();
await import('../s3/objects.test.ts');
