/** Offers an index on the columns of a new foreign key, if no index starts with them. */
import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TableName } from '../../../api/queries.ts';
import { type SchemaChange, type Structure, structureQuery } from './api.ts';
import { t } from './text.ts';

export interface Offer {
  readonly isOffered: boolean;
  readonly isChosen: boolean;
  readonly setChosen: (isChosen: boolean) => void;
  /** The change that creates the index. Empty if the index isn't chosen. */
  readonly changes: readonly SchemaChange[];
}

/** Returns the offer for the columns. Without columns, nothing is offered. */
export function useIndexOffer(at: TableName, columns: readonly string[]): Offer {
  const [isChosen, setChosen] = useState(true);
  const { data: structure } = useQuery(structureQuery(at));
  const isOffered = columns.length > 0 && structure !== undefined && !isIndexed(structure, columns);
  const parts = columns.map((column) => ({ column }));
  return {
    isOffered,
    isChosen,
    setChosen,
    changes:
      isOffered && isChosen ? [{ kind: 'create_index', ...at, method: 'btree', unique: false, parts }] : [],
  };
}

/** Whether the first columns of a complete index are these columns, in any order. */
const isIndexed = ({ indexes }: Structure, columns: readonly string[]): boolean =>
  indexes.some(
    (index) =>
      index.valid &&
      !index.partial &&
      columns.every((column) => index.columns.slice(0, columns.length).includes(column)),
  );

export function IndexOffer({ offer }: { offer: Offer }) {
  if (!offer.isOffered) return null;
  return (
    <Checkbox
      label={t('constraint.index')}
      description={t('constraint.index-why')}
      checked={offer.isChosen}
      onChange={(event) => offer.setChosen(event.currentTarget.checked)}
    />
  );
}
