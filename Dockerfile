# One image for every process of the service: api, dispatcher, worker and the migrations differ in their command alone.
# Docker does not run where this was written, so this file was read and reasoned about, but never built.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# tini reaps the extraction's child processes and hands signals on; the certificates are for TLS to Temporal; mount and
# util-linux are what extraction/pool/isolate.sh calls.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates mount tini util-linux \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# What .dockerignore lets through: the source alone. Root owns it, so the process cannot change its own code.
COPY . .
RUN node apps/worker/bundle.ts workflow-bundle.js
# Processes that read documents start in half the time where they find what an earlier one has compiled.
ENV WORKFLOW_BUNDLE=/app/workflow-bundle.js NODE_COMPILE_CACHE=/tmp/compiled
USER node
ENTRYPOINT ["tini", "--"]
CMD ["node", "apps/api/main.ts"]
