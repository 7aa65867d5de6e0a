/** Arranges a diagram in a worker. */
import { type Arrangement, arranged } from './arrange.ts';

addEventListener('message', ({ data }: MessageEvent<Arrangement>) => postMessage(arranged(data)));
