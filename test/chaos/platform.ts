/** `cloudflare:workers`, as far as the product's classes need it to be made by hand. Loaded with `--import`. */
import { registerHooks } from "node:module";

const SOURCE = `
class Made { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }
export { Made as DurableObject, Made as WorkerEntrypoint };`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "cloudflare:workers"
      ? { url: `data:text/javascript,${encodeURIComponent(SOURCE)}`, shortCircuit: true }
      : next(specifier, context),
});
