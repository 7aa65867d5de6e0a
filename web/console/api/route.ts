/**
 * Defines types for the routes of the Console's API. The input, response and URL of a call are derived from the
 * server's contract.
 */
import type { ConsoleContract } from '../../../src/pages/console/contract.ts';
import type { Given, ParamsOf, PayloadOf } from '../../../src/pages/console/core/contract.ts';

export type Route = keyof ConsoleContract & string;
/** The JSON of a route's response. */
export type Payload<Name extends Route> = Received<PayloadOf<ConsoleContract[Name]>>;
/** A response with status 204 doesn't have a body, so the value is undefined. */
type Received<Value> = undefined extends Value ? undefined : Value;
export type Body<Name extends Route> = Given<ConsoleContract[Name], 'body'>;

/**
 * An option of a call. The option is absent if the route doesn't have this input, and required if the input has
 * required fields.
 */
type Option<Name extends string, Value> = [Value] extends [never]
  ? { readonly [Key in Name]?: never }
  : object extends Value
    ? { readonly [Key in Name]?: Value }
    : { readonly [Key in Name]: Value };

type Params<Name extends Route> = keyof ParamsOf<Name> extends never ? never : ParamsOf<Name>;
type File<Name extends Route> = ConsoleContract[Name] extends { readonly body: 'file' } ? Blob : never;

export type Address<Name extends Route> = Option<'params', Params<Name>> &
  Option<'query', Given<ConsoleContract[Name], 'query'>>;
export type Input<Name extends Route> = Address<Name> &
  Option<'body', Body<Name>> &
  Option<'file', File<Name>>;
/** The second argument of a call. Optional if all parts of the argument are optional. */
export type Options<Value> = object extends Value ? [options?: Value] : [options: Value];

const base = '/console/api';

interface Parts {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: object | undefined;
}

/** Returns the method of a route, and its URL with the parameters filled in. */
export function resolve(route: Route, { params = {}, query = {} }: Parts): { method: Method; url: string } {
  const [method, path = ''] = route.split(' ') as [Method, string];
  const filled = path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return { method, url: base + filled + (search === '' ? '' : `?${search}`) };
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Returns the URL of a route, for links, frames and event streams.
 * @example consoleUrl('GET /inbox/:id/html', { params: { id } })
 */
export const consoleUrl = <Name extends Route>(route: Name, ...[options]: Options<Address<Name>>): string =>
  resolve(route, (options ?? {}) as Parts).url;
