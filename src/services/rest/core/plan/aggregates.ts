/** Moves aggregates out of spreads. The aggregates are then computed over the parent's groups. */
import { restError } from '../../errors.ts';
import type { Aggregate } from '../parse/types.ts';
import { emptyField, type PlanOrder, type ReadPlan, type Spread } from './types.ts';

interface Hoisted {
  readonly aggregateAlias: string;
  readonly name: string;
  readonly aggregate: Aggregate;
  readonly cast: string | undefined;
  readonly alias: string | undefined;
}

/** Moves aggregates from each to-one spread to the nearest level above that isn't a to-one spread. */
export function hoistAggregates(level: ReadPlan): Hoisted[] {
  const below = level.embeds.flatMap(hoistAggregates);
  const isToOneSpread = level.spread?.kind === 'to-one';
  if (!isToOneSpread) {
    level.outputs = level.outputs.map((output) => {
      if (output.kind !== 'spread') return output;
      const columns = output.columns.map((column) => {
        const found = below.find(
          (one) => one.aggregateAlias === output.aggregateAlias && one.name === column.name,
        );
        if (found === undefined) return column;
        return { ...column, aggregate: found.aggregate, aggregateCast: found.cast, alias: found.alias };
      });
      return { ...output, columns };
    });
    return [];
  }
  const own: Hoisted[] = [];
  level.columns = level.columns.map((column) => {
    if (column.aggregate === undefined) return column;
    own.push({
      aggregateAlias: level.aggregateAlias,
      name: column.alias ?? column.field.name,
      aggregate: column.aggregate,
      cast: column.aggregateCast,
      alias: column.alias,
    });
    return { ...column, aggregate: undefined, aggregateCast: undefined };
  });
  return [...own, ...below.map((one) => ({ ...one, aggregateAlias: level.aggregateAlias }))];
}

/**
 * Adds the columns of a to-many spread's ORDER BY to its inner query. The spread sorts each of its arrays, so the inner
 * query must return these columns too. The inner query itself is sorted only if it has a limit or an offset, because
 * the order then determines which rows it returns.
 */
export function orderToManySpreads(level: ReadPlan): void {
  if (level.spread?.kind !== 'to-many') return;
  const aggregates =
    level.columns.some((column) => column.aggregate !== undefined) ||
    level.outputs.some(
      (output) => output.kind === 'spread' && output.columns.some((column) => column.aggregate !== undefined),
    );
  if (aggregates) {
    throw restError('PGRST127', {
      details: 'Aggregates are not implemented for one-to-many or many-to-many spreads.',
    });
  }
  const extra: Extract<Spread, { kind: 'to-many' }>['extra'][number][] = [];
  const order: PlanOrder[] = [];
  level.order.forEach((term, index) => {
    const alias = `${level.aggregateAlias}_${term.field.name}_${index + 1}`;
    extra.push({
      relation: term.relation,
      column: { field: term.field, alias, cast: undefined, aggregate: undefined, aggregateCast: undefined },
    });
    order.push({ ...term, relation: undefined, field: emptyField({ name: alias, jsonPath: [] }) });
  });
  if (level.rangeKey === undefined && level.maxRows === undefined) level.order = [];
  level.spread = { kind: 'to-many', extra, order };
}
