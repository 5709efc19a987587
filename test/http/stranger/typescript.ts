/** What openapi-typescript writes with: the last compiler that has a JavaScript API, without a second `tsc` on the path. */
import { ts } from "@ts-morph/common";

export default ts;
