/** Quotas of an owner, checked after a write and in its transaction, so that an error rolls the write back. */
import { lockUsage, type Usage } from '../../../db/queries/users/usage.ts';
import type { Session } from '../../../db/sql.ts';
import { quotasByPlan } from '../../../platform/quotas.ts';
import { AppError } from '../errors.ts';
import type { CallContext } from '../trpc.ts';

const sentences = {
  sources: (limit: number) => `allows ${limit} sources. Delete some, or change the plan.`,
  storedBytes: (limit: number) => `allows ${limit} stored bytes. Deleted content counts until it is purged.`,
} as const;

/** The quotas of the caller within one transaction. */
export class QuotaCheck {
  readonly #ctx: CallContext;
  readonly #session: Session;
  /** Read once; each source that is added later is counted here. */
  #usage: Usage | undefined;

  constructor(ctx: CallContext, session: Session) {
    this.#ctx = ctx;
    this.#session = session;
  }

  /**
   * Checks the quota of sources after one was created or restored.
   * @throws AppError 403 with the quota in `details`
   */
  async requireSource(): Promise<void> {
    if (this.#usage === undefined) this.#usage = await this.#readUsage();
    else this.#usage.sources += 1;
    try {
      this.#require(this.#usage, 'sources');
    } catch (error) {
      this.#usage.sources -= 1;
      throw error;
    }
  }

  /** Checks the quota of sources after a space was restored. @throws AppError 403 */
  async requireSources(): Promise<void> {
    this.#usage ??= await this.#readUsage();
    this.#require(this.#usage, 'sources');
  }

  /** Checks the quota of stored bytes after content was stored or an upload granted. @throws AppError 403 */
  async requireBytes(): Promise<void> {
    this.#usage ??= await this.#readUsage();
    this.#require(this.#usage, 'storedBytes');
  }

  #readUsage(): Promise<Usage> {
    return lockUsage(this.#session, this.#ctx.caller.userId);
  }

  #require(usage: Usage, quota: keyof Usage): void {
    const { plan } = this.#ctx.caller;
    const limit = quotasByPlan(this.#ctx.config)[plan][quota];
    if (usage[quota] <= limit) return;
    const message = `The plan ${plan} ${sentences[quota](limit)}`;
    throw new AppError('FORBIDDEN', message, { details: [{ field: quota, message }] });
  }
}
