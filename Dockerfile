# The digest is what the tag was when this was last tried (24.18.0): `npm run images:pin` renews it, see docs/operations.md.
FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d AS build
WORKDIR /app
COPY package.json package-lock.json ./
# No package needs its install script (S-52).
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
COPY migrations ./migrations
COPY scripts ./scripts
COPY sandbox ./sandbox
COPY dashboard ./dashboard
RUN npm run build && npm run --silent sbom && node scripts/image.mjs /image

FROM node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/tmp/trading-proxy
WORKDIR /app
# The bundled programs and the few packages beside them. What they are made of is in the lists: LICENCES.txt and sbom.cdx.json.
COPY --from=build --chown=root:root /image ./
COPY --from=build --chown=root:root /app/sbom.cdx.json ./
USER node
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
