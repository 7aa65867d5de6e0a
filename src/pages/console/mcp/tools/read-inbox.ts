/** Reads the development inbox, which captures emails and text messages. */
import { z } from 'zod';
import { messageFacts } from '../../routes/framed-mail.ts';
import { type McpDeps, ownTool } from '../types.ts';

const maxTextChars = 4000;

export const readInbox = ({ inbox }: Pick<McpDeps, 'inbox'>) =>
  ownTool({
    name: 'read_inbox',
    title: 'Read the development inbox',
    description:
      'Lists the emails and text messages that the project sent in development, newest first, with their text, code and link. Use it to test sign-up, sign-in and password reset.',
    feature: 'development',
    requires: 'secrets',
    changes: false,
    input: z.object({
      search: z.string().max(200).optional().describe('Text in the recipient, subject or body.'),
      limit: z.number().int().min(1).max(20).default(5),
    }),
    async run({ search, limit }) {
      const { total, messages } = await inbox.list({
        limit,
        offset: 0,
        ...(search === undefined ? {} : { search }),
      });
      return {
        untrusted: {
          total,
          messages: messages.map(({ id, kind, from, to, subject, createdAt, text, html }) => {
            const { code, link } = messageFacts({ text, html });
            return {
              id,
              kind,
              from: from.address,
              to,
              subject,
              createdAt,
              code,
              link,
              text: text.slice(0, maxTextChars),
            };
          }),
        },
      };
    },
  });
