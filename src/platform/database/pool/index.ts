/** Connection pools, one per login role. */

export { createListenHub, type ListenerLocks, type ListenHub } from './listen.ts';
export { PoolEndedError, PoolFullError, PoolTimeoutError } from './occupancy.ts';
export { createPools, type Pools, type PoolsOptions } from './pools.ts';
