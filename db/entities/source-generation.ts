import { defineEntity, p } from '@mikro-orm/postgresql';
import type { ContextSummary, ExtractedArtifact } from '../../contract/extraction.ts';
import { outcomes, recoveryCauses, type Stage, stages, triggers } from '../../contract/statuses.ts';
import { Source } from './source.ts';

/**
 * A generation of a source: its plan, its outcome, and every object key that it uses, new or taken over from an earlier
 * generation.
 */
export const SourceGeneration = defineEntity({
  name: 'SourceGeneration',
  tableName: 'source_generations',
  properties: {
    id: p.uuid().primary(),
    sourceId: () => p.manyToOne(Source).mapToPk().fieldName('source_id').deleteRule('cascade'),
    generation: p.integer().check('generation >= 1'),
    trigger: p.enum(triggers),
    /** Recovery: why the run was replaced. */
    cause: p.enum(recoveryCauses).nullable(),
    /** Whether the content is to be fetched, claimed or joined again. */
    fetches: p.boolean(),
    runContextExtraction: p.boolean(),
    runArtifactExtraction: p.boolean(),
    /** COMPOSITION: whether `on_member_failure` was `skip` when the generation was requested. */
    skipsFailedMembers: p.boolean().default(false),
    /** Consecutive repairs up to this generation, without a request by the user. */
    repairs: p.smallint().default(0),
    /** FILE: the ETag that was claimed with the request; null accepts any uploaded file. */
    claimEtag: p.text().nullable(),
    createdAt: p.datetime(3).defaultRaw('now()'),
    startedAt: p.datetime(3).nullable(),
    finishedAt: p.datetime(3).nullable(),
    stage: p.enum(stages).nullable(),
    /** When each stage began. */
    stageTimes: p.json().$type<Partial<Record<Stage, string>>>().defaultRaw("'{}'"),
    outcome: p.enum(outcomes).nullable(),
    error: p.json().$type<{ code: string; stage: Stage; message: string; retryable: boolean }>().nullable(),

    /** The failed stage's error with its message for users. Temporal gets only the code, since it may quote content. */
    failure: p.json().$type<{ code: string; stage: Stage; message: string }>().nullable(),

    /** The stored content: the newest one that was fetched completely for the current initial_data. */
    contentKey: p.text().nullable(),
    contentType: p.text().nullable(),
    contentSize: p.bigint('number').nullable(),
    /** The address of the content after redirects, for relative links. */
    contentUrl: p.text().nullable(),
    contentGeneration: p.integer().nullable(),
    /** URI: the validators of the last response, and the SHA-256 (hex) of the content. */
    contentEtag: p.text().nullable(),
    contentLastModified: p.text().nullable(),
    contentHash: p.text().nullable(),
    /** URI: the content had not changed, so its results were taken over. */
    unchanged: p.boolean().default(false),

    markdownKey: p.text().nullable(),
    contextKey: p.text().nullable(),
    /** Bytes of the two objects. */
    markdownSize: p.bigint('number').nullable(),
    contextSize: p.bigint('number').nullable(),
    /** The context without its chunks. */
    context: p.json().$type<ContextSummary>().nullable(),
    contextGeneration: p.integer().nullable(),
    /** Artifacts that this generation found; its end moves them to the table `artifacts`. */
    foundArtifacts: p.json().$type<ExtractedArtifact[]>().nullable().lazy().hidden(),
    artifactsGeneration: p.integer().nullable(),
    skippedMembers: p.json().$type<{ id: string; code: string }[]>().defaultRaw("'[]'"),
  },
  uniques: [
    { name: 'source_generations_number_unique', properties: ['sourceId', 'generation'] },
    { name: 'source_generations_source_id_unique', properties: ['sourceId', 'id'] },
    {
      name: 'source_generations_one_open_unique',
      properties: ['sourceId'],
      expression:
        'create unique index "source_generations_one_open_unique" on "source_generations" ("source_id") where "outcome" is null',
    },
  ],
  checks: [
    { name: 'source_generations_recovery_check', expression: "cause is null or trigger = 'recovery'" },
    { name: 'source_generations_finished_check', expression: '(outcome is null) = (finished_at is null)' },
    {
      name: 'source_generations_error_check',
      expression: "(outcome is not distinct from 'FAILED') = (error is not null)",
    },
    {
      name: 'source_generations_context_check',
      expression:
        '(context_generation is null) = (context is null) and (context is null) = (context_key is null) and (context is null) = (markdown_key is null)',
    },
    {
      name: 'source_generations_found_artifacts_check',
      expression: 'found_artifacts is null or outcome is null',
    },
    { name: 'source_generations_content_check', expression: '(content_key is null) = (content_generation is null)' },
  ],
});
