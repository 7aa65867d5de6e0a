/** REST object tests with bytes in S3. */
import { runOnS3 } from '../backends.ts';

await runOnS3(new URL('../objects.test.ts', import.meta.url));
