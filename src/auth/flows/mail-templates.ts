/** From template and data to a mail: the project's own template where there is one, else ours. */
import { readFile } from 'node:fs/promises';
import type { AuthContext } from '../context.ts';
import { defaultMail, type TemplateName } from '../core/default-mails.ts';
import { htmlToText } from '../core/html-to-text.ts';
import { renderHtml, renderText, type TemplateData } from '../core/template/render.ts';

export type { TemplateName };

/**
 * The file is read for every mail, so a change takes effect at once. A template that is missing or wrong is logged and
 * replaced by ours: a user who waits for a code must get one.
 */
export async function deliver(
  ctx: AuthContext,
  name: TemplateName,
  to: string,
  data: TemplateData,
): Promise<void> {
  const fallback = defaultMail(name);
  const own = ownTemplate(ctx, name);
  let html = renderHtml(fallback.html, data);
  let text = renderText(fallback.text, data);
  let subject = renderText(fallback.subject, data);
  try {
    if (own.contentPath !== undefined) {
      html = renderHtml(await readFile(own.contentPath, 'utf8'), data);
      text = htmlToText(html);
    }
    if (own.subject !== undefined) subject = renderText(own.subject, data);
  } catch (error) {
    ctx.log.error(
      { template: name, file: own.contentPath, error },
      `The mail template ${name} cannot be used; ours is sent`,
    );
  }
  await ctx.mailer.sendMail({ to, subject: oneLine(subject), html, text });
}

function ownTemplate(ctx: AuthContext, name: TemplateName): { contentPath?: string; subject?: string } {
  const { template, notification } = ctx.settings.config.email;
  const notice = name.replace(/_notification$/, '');
  const own =
    name === notice
      ? template[name as keyof typeof template]
      : notification[notice as keyof typeof notification];
  return {
    ...(own.content_path === undefined ? {} : { contentPath: own.content_path }),
    ...(own.subject === undefined || own.subject === '' ? {} : { subject: own.subject }),
  };
}

/** A subject is one line: metadata in it must not add headers. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ').trim();
}
