/** Lets several processes serve one API port. */
export { unpackFields } from './lines.ts';
export { createListener, type Listener } from './listener.ts';
export { connectToMain, type MainLink } from './main-link.ts';
export type { StopRequest, WorkerFacts, WorkerMessage } from './messages.ts';
export { createWorkers, type WorkerStatus, type Workers } from './workers.ts';
