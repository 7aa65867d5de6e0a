/** Connection pools, one per login role. */
export { PoolEndedError, PoolFullError, PoolTimeoutError } from './errors.ts';
export { createListenHub, type ListenerLocks, type ListenHub } from './listen.ts';
export { createPools, type Pools, type PoolsOptions } from './pools.ts';
