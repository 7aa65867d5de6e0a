// Returns the embeddings of texts. Only signed-in users can call the function, because models cost money.
import { embed } from '../_shared/embed.ts';
import { serve } from '../_shared/respond.ts';
import { requireUser } from '../_shared/user.ts';

serve(async ({ input }, request) => {
  await requireUser(request);
  return await embed(input);
});
