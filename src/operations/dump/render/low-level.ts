/** Renders languages, access methods, transforms and subscriptions. */

import { quoteIdentifier } from '../../../base/kernel/sql.ts';
import type { AccessMethodRow, LanguageRow, SubscriptionRow, TransformRow } from '../catalog/low-level.ts';
import { withoutPassword } from '../core/connection-text.ts';
import { list, literal } from '../core/text.ts';
import type { CatalogObject } from '../types.ts';

export function languageObject(row: LanguageRow): CatalogObject {
  const functions = [
    ['HANDLER', row.handler],
    ['INLINE', row.inline],
    ['VALIDATOR', row.validator],
  ].flatMap(([word, name]) => (name === null ? [] : [` ${word} ${name}`]));
  return {
    key: `pg_language:${row.oid}`,
    kind: 'LANGUAGE',
    name: row.name,
    identity: row.name,
    section: 'pre',
    owner: row.owner,
    acl: { target: 'LANGUAGE', items: row.acl },
    create: () => [`CREATE ${row.isTrusted ? 'TRUSTED ' : ''}LANGUAGE ${row.name}${functions.join('')}`],
  };
}

export const accessMethodObject = (row: AccessMethodRow): CatalogObject => ({
  key: `pg_am:${row.oid}`,
  kind: 'ACCESS METHOD',
  name: row.name,
  identity: row.name,
  section: 'pre',
  create: () => [`CREATE ACCESS METHOD ${row.name} TYPE ${row.type} HANDLER ${row.handler}`],
});

export const transformObject = (row: TransformRow): CatalogObject => ({
  key: `pg_transform:${row.oid}`,
  kind: 'TRANSFORM',
  name: row.identity,
  identity: row.identity,
  section: 'pre',
  create: () => [`CREATE TRANSFORM ${row.identity} (${list(row.functions)})`],
});

/**
 * Renders a subscription without its password. The subscription is created disabled and without a connection, so that a
 * copy of the database doesn't receive the changes that the original database receives.
 */
export function subscriptionObject(row: SubscriptionRow): CatalogObject {
  const parameters = [
    'connect = false',
    'enabled = false',
    `slot_name = ${row.slot === null ? 'NONE' : literal(row.slot)}`,
    ...row.options,
  ];
  return {
    key: `pg_subscription:${row.oid}`,
    kind: 'SUBSCRIPTION',
    name: row.name,
    identity: row.name,
    section: 'final',
    owner: row.owner,
    create: () => [
      `CREATE SUBSCRIPTION ${row.name} CONNECTION ${literal(withoutPassword(row.connection))}\n` +
        `    PUBLICATION ${list(row.publications.map(quoteIdentifier))} WITH (${list(parameters)})`,
    ],
  };
}
