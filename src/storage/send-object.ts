/** The answer to a read: conditions, range, headers, bytes. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isNotModified, isRangeCurrent } from './core/conditions.ts';
import {
  cacheControl,
  containmentHeaders,
  contentDisposition,
  parseDate,
  readObjectMetadata,
  robotsTag,
  safeContentType,
} from './core/object-headers.ts';
import { parseRange } from './core/range.ts';
import { StorageError } from './errors.ts';
import type { ObjectRow } from './queries/objects.ts';
import type { DownloadQuery } from './routes/schemas.ts';
import type { StorageService } from './service.ts';

/** `expires` is given for signed URLs: their answers end with them instead of being cached as stored. */
export async function sendObject(
  service: StorageService,
  request: FastifyRequest<{ Querystring: DownloadQuery }>,
  reply: FastifyReply,
  object: ObjectRow,
  expires?: Date,
): Promise<FastifyReply> {
  const { headers } = request;
  const metadata = readObjectMetadata(object.metadata);
  const current = {
    etag: metadata.eTag,
    lastModified: parseDate(metadata.lastModified ?? object.updated_at ?? undefined),
  };
  const body = await service.backend.open(object.version ?? '');
  if (!body) throw new StorageError('NoSuchKey');

  try {
    reply.header('accept-ranges', 'bytes').header('x-robots-tag', robotsTag(metadata.xRobotsTag));
    if (current.etag !== undefined) reply.header('etag', current.etag);
    if (current.lastModified) reply.header('last-modified', current.lastModified.toUTCString());
    const notModified = isNotModified(headers, current);
    if (expires) reply.header('expires', expires.toUTCString());
    else {
      const stale = headers['if-none-match'] !== undefined && !notModified;
      reply.header('cache-control', cacheControl(metadata.cacheControl, stale));
    }
    if (notModified) {
      await body.close();
      return reply.code(304).send();
    }

    const disposition = contentDisposition(request.query.download);
    if (disposition !== undefined) reply.header('content-disposition', disposition);
    const contentType = safeContentType(metadata.mimetype);
    reply.header('content-type', contentType).headers(containmentHeaders(contentType));
    const range = isRangeCurrent(headers, current) ? parseRange(headers.range, body.sizeBytes) : undefined;
    if (range === 'unsatisfiable') {
      reply
        .header('content-range', `bytes */${body.sizeBytes}`)
        .removeHeader('cache-control')
        .type('application/json');
      throw new StorageError('InvalidRange');
    }
    if (range) {
      reply
        .code(206)
        .header('content-range', `bytes ${range.start}-${range.end}/${body.sizeBytes}`)
        .header('content-length', range.end - range.start + 1);
    } else {
      reply.header('content-length', body.sizeBytes);
    }
    if (request.method === 'HEAD') {
      await body.close();
      return reply.send();
    }
    return reply.send(await body.read(range));
  } catch (error) {
    await body.close();
    throw error;
  }
}
