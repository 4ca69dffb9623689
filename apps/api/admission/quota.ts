/** What an owner may have: judged after the write that adds to it, in the same transaction, so that a refusal undoes it. */
import { lockUsage, type Usage } from '../../../db/queries/users/usage.ts';
import type { Session } from '../../../db/sql.ts';
import { quotasByPlan } from '../../../platform/quotas.ts';
import { AppError } from '../errors.ts';
import type { CallContext } from '../trpc.ts';

const sentences = {
  sources: (most: number) => `allows ${most} sources. Delete some, or change the plan.`,
  storedBytes: (most: number) => `allows ${most} stored bytes. What is deleted counts until it is purged.`,
} as const;

/** The quotas of the caller within one transaction. */
export class QuotaJudge {
  readonly #ctx: CallContext;
  readonly #session: Session;
  /** Measured once; each source that is added later is counted here. */
  #usage: Usage | undefined;

  constructor(ctx: CallContext, session: Session) {
    this.#ctx = ctx;
    this.#session = session;
  }

  /**
   * Judges a source that was just created or restored.
   * @throws AppError 403 naming the quota beyond which it would lead
   */
  async requireSource(): Promise<void> {
    if (this.#usage === undefined) this.#usage = await this.#measure();
    else this.#usage.sources += 1;
    try {
      this.#require(this.#usage, 'sources');
    } catch (error) {
      this.#usage.sources -= 1;
      throw error;
    }
  }

  /** Judges the sources of a space that was just restored. @throws AppError 403 */
  async requireSources(): Promise<void> {
    this.#usage ??= await this.#measure();
    this.#require(this.#usage, 'sources');
  }

  /** Judges content of a size that was just stored, or is to be uploaded. @throws AppError 403 */
  async requireBytes(): Promise<void> {
    this.#usage ??= await this.#measure();
    this.#require(this.#usage, 'storedBytes');
  }

  #measure(): Promise<Usage> {
    return lockUsage(this.#session, this.#ctx.caller.userId);
  }

  #require(usage: Usage, quota: keyof Usage): void {
    const { plan } = this.#ctx.caller;
    const most = quotasByPlan(this.#ctx.config)[plan][quota];
    if (usage[quota] <= most) return;
    const message = `The plan ${plan} ${sentences[quota](most)}`;
    throw new AppError('FORBIDDEN', message, { details: [{ field: quota, message }] });
  }
}
