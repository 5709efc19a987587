/**
 * Stands in for zod in the bundle (alias in wrangler.toml). hono-openapi would load it on demand, if some schema
 * were zod's; none is, and 740 KB less is what every cold object has to read.
 */
export default null;
