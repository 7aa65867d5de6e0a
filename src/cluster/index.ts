/** Lets several processes serve one API port. */
export { connectLead, type LeadLink } from './lead-link.ts';
export { unpackFields } from './lines.ts';
export { createListener, type Listener } from './listener.ts';
export type { StopRequest, WorkerFacts, WorkerMessage } from './messages.ts';
export { createWorkers, type WorkerStatus, type Workers } from './workers.ts';
