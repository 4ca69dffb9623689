import { z } from 'zod';
import { artifactSchema } from '../../../../contract/resources.ts';
import { procedure } from '../../trpc.ts';
import { findArtifact, toArtifactResource } from './artifact-resource.ts';

export const getArtifact = procedure
  .meta({ rest: { method: 'GET', path: '/source-artifact/{artifactId}' }, summary: 'Get an artifact' })
  .input(z.strictObject({ artifactId: z.string() }))
  .output(artifactSchema)
  .query(async ({ ctx, input }) => toArtifactResource(await findArtifact(ctx, input.artifactId)));
