/**
 * Reads the complete Content-Type header of the parts of a multipart form. The form parser passes on only the media
 * type, in lowercase and without parameters such as the charset.
 */
import type { EventEmitter } from 'node:events';
import type { Busboy } from '@fastify/busboy';

/** The parser's parser of parts, which isn't part of its types. */
interface FormParser {
  readonly _parser?: { readonly parser?: EventEmitter };
}

type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** `current` is the Content-Type header of the part whose `file` event is being emitted. */
export function watchPartTypes(parser: InstanceType<typeof Busboy>): {
  readonly current: string | undefined;
} {
  const types: { current: string | undefined } = { current: undefined };
  // The first listener of a part's header runs before the form parser's own listener, which emits the `file` event.
  (parser as unknown as FormParser)._parser?.parser?.prependListener('part', (part: EventEmitter) => {
    part.on('header', (header: PartHeader) => {
      types.current = header['content-type']?.[0]?.trim() || undefined;
    });
  });
  return types;
}
