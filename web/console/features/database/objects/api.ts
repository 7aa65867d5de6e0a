import { queryOptions } from '@tanstack/react-query';
import type { NewEventTrigger } from '../../../../../src/pages/console/objects/contract.ts';
import { fetchConsole } from '../../../api/session.ts';

export type {
  EventTriggerRow,
  ForeignOption,
  ForeignServerRow,
  PublicationRow,
  PublishedTable,
  SequenceRow,
  TypeRow,
} from '../../../../../src/pages/console/objects/contract.ts';

export const typesQuery = queryOptions({
  queryKey: ['types'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /types', { signal })).types,
});

export const sequencesQuery = queryOptions({
  queryKey: ['sequences'],
  queryFn: async ({ signal }) => (await fetchConsole('GET /sequences', { signal })).sequences,
});

export const publicationsQuery = queryOptions({
  queryKey: ['publications'],
  queryFn: ({ signal }) => fetchConsole('GET /publications', { signal }),
});

export const eventTriggersQuery = queryOptions({
  queryKey: ['event-triggers'],
  queryFn: ({ signal }) => fetchConsole('GET /event-triggers', { signal }),
});

export const createEventTrigger = (body: NewEventTrigger) => fetchConsole('POST /event-triggers', { body });

export const foreignServersQuery = queryOptions({
  queryKey: ['foreign-servers'],
  queryFn: ({ signal }) => fetchConsole('GET /foreign-servers', { signal }),
});
