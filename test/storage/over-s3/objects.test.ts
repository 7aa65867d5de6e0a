/** Objects over REST with bytes in S3. */
import { onS3 } from '../backends.ts';

onS3();
await import('../objects.test.ts');
