/** Settings that the demo sends to its scenario process. */
import { z } from 'zod';

export const scenarioSettingsSchema = z.object({
  apiUrl: z.url(),
  key: z.string(),
  temporalUiUrl: z.url().optional(),
  /** Port on 127.0.0.1 of the page and the postback receiver; EGRESS_ALLOW includes it. */
  port: z.int(),
  /** Whether to run until the parent disconnects, so that the page can be fetched again. */
  keep: z.boolean(),
});
export type ScenarioSettings = z.infer<typeof scenarioSettingsSchema>;
