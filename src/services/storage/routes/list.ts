/** Declares `POST /object/list…`, which lists a folder (v1) or pages of objects with a cursor (v2). */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Logger } from '../../../base/kernel/log.ts';
import { acquireChunk } from '../byte-stream.ts';
import type { StorageContext } from '../context.ts';
import { decodeCursor, type SortColumn, type SortOrder } from '../core/cursor.ts';
import { folderPrefix, LinesWriter, PageWriter } from '../core/listing.ts';
import { StorageError } from '../errors.ts';
import { operations } from '../operations.ts';
import { listFolder, listKeys, searchObjects } from '../queries/listing.ts';
import { openScope } from '../scope.ts';
import { sendBytes } from '../send-bytes.ts';
import { authorizationHeader, type BucketParams } from './schemas.ts';

const defaultLimit = 100;
const maxPageLimit = 1000;

interface SearchBody {
  prefix: string;
  limit?: number;
  offset?: number;
  search?: string;
  sortBy?: { column: SortColumn | 'last_accessed_at'; order?: SortOrder };
}

interface PageBody {
  prefix?: string;
  limit?: number;
  cursor?: string;
  with_delimiter?: boolean;
  sortBy?: { column: SortColumn; order?: SortOrder };
}

export function listRoutes(app: FastifyInstance, ctx: StorageContext): void {
  app.post<{ Params: BucketParams; Body: SearchBody }>(
    '/object/list/:bucketName',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: {
            prefix: { type: 'string' },
            limit: { type: 'integer', minimum: 1 },
            offset: { type: 'integer', minimum: 0 },
            search: { type: 'string' },
            sortBy: {
              type: 'object',
              properties: {
                column: { type: 'string', enum: ['name', 'updated_at', 'created_at', 'last_accessed_at'] },
                order: { type: 'string', enum: ['asc', 'desc'] },
              },
              required: ['column'],
            },
          },
          required: ['prefix'],
        },
      },
    },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.listObjects);
      const { bucketName } = request.params;
      const { prefix, limit, offset, search, sortBy } = request.body;
      if (bucketName.includes('\0')) return reply.send([]);
      const options = {
        prefix: folderPrefix(prefix),
        search: search ?? '',
        limit: limit ?? defaultLimit,
        offset: offset ?? 0,
        column: sortBy?.column ?? 'name',
        order: sortBy?.order ?? 'asc',
      } as const;
      const body = new LinesWriter(acquireChunk);
      await scope.rowsAsUser(searchObjects(bucketName, options), (row) => body.add(row));
      await sendJson(reply, body.end(), ctx.log);
    },
  );

  app.post<{ Params: BucketParams; Body: PageBody }>(
    '/object/list-v2/:bucketName',
    {
      schema: {
        headers: authorizationHeader,
        body: {
          type: 'object',
          properties: {
            prefix: { type: 'string' },
            limit: { type: 'integer', minimum: 1 },
            cursor: { type: 'string' },
            with_delimiter: { type: 'boolean' },
            sortBy: {
              type: 'object',
              properties: {
                column: { type: 'string', enum: ['name', 'updated_at', 'created_at'] },
                order: { type: 'string', enum: ['asc', 'desc'] },
              },
              required: ['column'],
            },
          },
        },
      },
    },
    async (request, reply) => {
      const scope = openScope(ctx, request, operations.listObjectsV2);
      const { bucketName } = request.params;
      const { prefix = '', cursor: cursorText, with_delimiter: withFolders, sortBy } = request.body;
      const limit = Math.min(request.body.limit ?? maxPageLimit, maxPageLimit);
      const cursor = cursorText ? decodeCursor(cursorText) : undefined;
      if (cursorText && !cursor)
        throw new StorageError('InvalidParameter', 'Invalid Parameter continuation token');
      if (bucketName.includes('\0')) return reply.send({ hasNext: false, folders: [], objects: [] });
      const order = cursor?.order ?? sortBy?.order;
      const column = cursor?.column ?? sortBy?.column;
      const options = {
        prefix,
        // One extra line is queried to determine whether there is another page.
        limit: limit + 1,
        startAfter: cursor?.startAfter ?? '',
        column: column ?? 'name',
        order: order ?? 'asc',
        columnAfter: cursor?.columnAfter,
      } as const;
      const list = withFolders ? listFolder : listKeys;
      const body = new PageWriter({ limit, column, order, hasKeys: withFolders === true }, acquireChunk);
      await scope.rowsAsUser(list(bucketName, options), (row) => body.add(row));
      await sendJson(reply, body.end(), ctx.log);
    },
  );
}

function sendJson(reply: FastifyReply, chunks: readonly Buffer[], log: Logger): Promise<void> {
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0),
  };
  return sendBytes(reply, { status: 200, headers }, chunks, log);
}
