# One image for every process of the service: api, dispatcher, worker and migrations differ only in their command.
# Never built: Docker was not available where this file was written.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --no-audit --no-fund

FROM node:24.21.0-bookworm-slim
# tini reaps extraction's child processes and forwards signals; ca-certificates is for TLS to Temporal; mount and
# util-linux are for extraction/pool/isolate.sh.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates mount tini util-linux \
 && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
# Only source code, see .dockerignore. Root owns it, so the process cannot change its own code.
COPY . .
RUN node apps/worker/bundle.ts workflow-bundle.js
# Extraction processes start in half the time with code that an earlier one has compiled.
ENV WORKFLOW_BUNDLE=/app/workflow-bundle.js NODE_COMPILE_CACHE=/tmp/compiled
USER node
ENTRYPOINT ["tini", "--"]
CMD ["node", "apps/api/main.ts"]
