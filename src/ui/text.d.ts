/** Served as they stand: `rules` in wrangler.toml makes them text. */
declare module "*.css" {
  const text: string;
  export default text;
}
declare module "*.browser.js" {
  const text: string;
  export default text;
}
