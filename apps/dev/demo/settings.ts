/** What the demo's two processes tell each other. */
import { z } from 'zod';

export const actSettingsSchema = z.object({
  apiUrl: z.url(),
  key: z.string(),
  temporalUiUrl: z.url().optional(),
  /** Where the page and the receiver of postbacks listen on 127.0.0.1; the service is allowed to reach it. */
  port: z.int(),
  /** Whether to stay, so that the page can be fetched again, until the parent goes. */
  keep: z.boolean(),
});
export type ActSettings = z.infer<typeof actSettingsSchema>;
