/** Sends an object. Evaluates conditions and ranges, and sends the headers and the bytes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StorageContext } from './context.ts';
import { isNotModified, isRangeCurrent } from './core/conditions.ts';
import {
  cacheControl,
  contentDisposition,
  documentPolicy,
  parseDate,
  readObjectMetadata,
  robotsTag,
  shownContentType,
} from './core/object-headers.ts';
import { parseRange } from './core/range.ts';
import { BytesMissingError, StorageError } from './errors.ts';
import type { ObjectRow } from './queries/objects.ts';
import type { DownloadQuery } from './routes/schemas.ts';
import { sendBytes, setHeaders } from './send-bytes.ts';

/**
 * Sends the object. `expires` is the expiry time of a signed URL, which limits how long the response can be cached.
 * @throws {BytesMissingError} before anything is sent
 */
export async function sendObject(
  ctx: StorageContext,
  request: FastifyRequest<{ Querystring: DownloadQuery }>,
  reply: FastifyReply,
  object: ObjectRow,
  expires?: Date,
): Promise<void> {
  const { headers } = request;
  const { log } = ctx;
  const metadata = readObjectMetadata(object.metadata);
  const current = {
    etag: metadata.eTag,
    lastModified: parseDate(metadata.lastModified ?? object.updated_at ?? undefined),
  };
  const body = await ctx.backend.open(object.version ?? '');
  if (!body) throw new BytesMissingError();

  try {
    const notModified = isNotModified(headers, current);
    const isStale = headers['if-none-match'] !== undefined && !notModified;
    const contentType = shownContentType(metadata);
    const common = {
      // A 304 response also contains these headers, because browsers then replace the cached policy.
      'content-type': contentType,
      ...documentPolicy(contentType),
      'accept-ranges': 'bytes',
      'x-robots-tag': robotsTag(metadata.xRobotsTag),
      etag: current.etag,
      'last-modified': current.lastModified?.toUTCString(),
      expires: expires?.toUTCString(),
    };
    const lifetime = { 'cache-control': expires ? undefined : cacheControl(metadata.cacheControl, isStale) };
    if (notModified) {
      await body.close();
      await sendBytes(reply, { status: 304, headers: { ...common, ...lifetime } }, undefined, log);
      return;
    }

    const described = {
      ...common,
      'content-disposition': contentDisposition(request.query.download),
    };
    const range = isRangeCurrent(headers, current) ? parseRange(headers.range, body.sizeBytes) : undefined;
    if (range === 'unsatisfiable') {
      setHeaders(reply, { ...described, 'content-range': `bytes */${body.sizeBytes}` });
      reply.type('application/json');
      throw new StorageError('InvalidRange');
    }
    const head = range
      ? {
          status: 206,
          headers: {
            ...described,
            ...lifetime,
            'content-range': `bytes ${range.start}-${range.end}/${body.sizeBytes}`,
            'content-length': range.end - range.start + 1,
          },
        }
      : { status: 200, headers: { ...described, ...lifetime, 'content-length': body.sizeBytes } };
    if (request.method === 'HEAD') {
      await body.close();
      await sendBytes(reply, head, undefined, log);
      return;
    }
    await sendBytes(reply, head, await body.read(range), log);
  } catch (error) {
    await body.close();
    throw error;
  }
}
