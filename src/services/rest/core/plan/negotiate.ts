/** Selects the media type of the response and the handler that formats it (RFC 9110 section 12). */
import { restError } from '../../errors.ts';
import { handlerKey, type MediaHandler } from '../../schema-cache/types.ts';
import { JSON_TYPE, type MediaType, mediaTypeName, readMediaType } from '../parse/media-type.ts';
import type { Resolver } from './resolve.ts';
import type { Handler } from './types.ts';

export interface Negotiation {
  readonly handler: Handler;
  readonly mediaType: MediaType;
}

/**
 * Selects the media type. `defaultSelect` specifies whether the request selects whole rows, which handlers for a
 * relation require.
 * @throws {RestError} PGRST107
 */
export function negotiate(
  resolver: Resolver,
  accepts: readonly MediaType[],
  defaultSelect: boolean,
  planEnabled: boolean,
): Negotiation {
  for (const accept of accepts) {
    const found = match(resolver, accept, defaultSelect, planEnabled);
    if (found !== undefined) return found;
  }
  throw restError('PGRST107', { texts: { types: accepts.map(mediaTypeName).join(', ') } });
}

function match(
  resolver: Resolver,
  accept: MediaType,
  defaultSelect: boolean,
  planEnabled: boolean,
): Negotiation | undefined {
  switch (accept.kind) {
    case 'object':
      return { handler: { kind: 'object', stripped: accept.stripped }, mediaType: accept };
    case 'array-stripped':
      return { handler: { kind: 'array', stripped: true }, mediaType: accept };
    case 'plan': {
      if (!planEnabled) return undefined;
      const explained = match(resolver, accept.of, defaultSelect, false);
      return explained === undefined ? undefined : { handler: explained.handler, mediaType: accept };
    }
  }
  const name = mediaTypeName(accept);
  const { relation } = resolver;
  const handlers = resolver.cache.mediaHandlers;
  const custom =
    (defaultSelect
      ? (handlers.get(handlerKey(relation, '*/*')) ?? handlers.get(handlerKey(relation, name)))
      : undefined) ?? handlers.get(handlerKey(undefined, name));
  if (custom !== undefined) return customHandler(custom);
  switch (accept.kind) {
    case 'any':
    case 'json':
      return { handler: { kind: 'array', stripped: false }, mediaType: JSON_TYPE };
    case 'csv':
      return { handler: { kind: 'csv' }, mediaType: accept };
    case 'geojson':
      return { handler: { kind: 'geojson' }, mediaType: accept };
    default:
      return undefined;
  }
}

const customHandler = (handler: MediaHandler): Negotiation => ({
  handler: { kind: 'custom', function: handler.function, target: handler.target, base: handler.base },
  mediaType: readMediaType(handler.resolvedType),
});
