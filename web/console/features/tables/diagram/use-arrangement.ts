/** Arranges the tables of a diagram, unless the operator has moved them. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { loadPart } from '../../../components/lazy-part.ts';
import type { Arrangement } from './arrange.ts';
import type { Point } from './geometry.ts';
import { keepPositions, type Positions, readPositions, withNewTables } from './positions.ts';

const arrangementQuery = (arrangement: Arrangement) =>
  queryOptions({
    queryKey: ['diagram-arrangement', arrangement],
    queryFn: ({ signal }) => arrange(arrangement, signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Structural sharing doesn't support maps.
    structuralSharing: false,
  });

/** Runs `arrange.ts` in a worker. If the browser doesn't allow the worker, runs it in the page. */
function arrange(arrangement: Arrangement, signal: AbortSignal): Promise<Positions> {
  const { promise, resolve, reject } = Promise.withResolvers<Positions>();
  const worker = new Worker(new URL('./arrange-worker.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }: MessageEvent<Positions>) => resolve(data);
  worker.onerror = () => {
    loadPart(() => import('./arrange.ts')).then(({ arranged }) => resolve(arranged(arrangement)), reject);
  };
  signal.addEventListener('abort', () => reject(signal.reason));
  worker.postMessage(arrangement);
  return promise.finally(() => worker.terminate());
}

export interface PositionTools {
  /** Undefined while the tables are being arranged. */
  readonly positions: Positions | undefined;
  readonly error: Error | null;
  /** Whether the operator has moved tables of this view. */
  readonly isMoved: boolean;
  /** Moves a table. The new position is stored when the move ends. */
  readonly move: (id: string, to: Point, isEnd: boolean) => void;
  readonly reset: () => void;
}

/** `view` identifies the filters, because the tables of each view have separate positions. */
export function usePositions(view: string, arrangement: Arrangement): PositionTools {
  const [moved, setMoved] = useState<{ readonly view: string; readonly positions: Positions | undefined }>();
  const stored = useMemo(() => readPositions(view), [view]);
  const own = moved?.view === view ? moved.positions : stored;
  const { data, error } = useQuery({
    ...arrangementQuery(arrangement),
    enabled: own === undefined && arrangement.nodes.length > 0,
  });
  const positions = useMemo(
    () => (own === undefined ? data : withNewTables(own, arrangement.nodes)),
    [own, data, arrangement],
  );
  return {
    positions,
    error,
    isMoved: own !== undefined,
    move(id, to, isEnd) {
      if (positions === undefined) return;
      const next = new Map(positions).set(id, { x: Math.round(to.x), y: Math.round(to.y) });
      setMoved({ view, positions: next });
      if (isEnd) keepPositions(view, next);
    },
    reset() {
      keepPositions(view, undefined);
      setMoved({ view, positions: undefined });
    },
  };
}
