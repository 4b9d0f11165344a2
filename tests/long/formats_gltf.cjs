// node formats_gltf.cjs FILE...: Khronos' validator finds neither errors nor warnings, nor anything to remark.
const validator = require("gltf-validator");
const fs = require("fs");

(async () => {
    let failed = 0;
    for (const path of process.argv.slice(2)) {
        const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(path)), { maxIssues: 5 });
        const found = report.issues;
        const count = found.numErrors + found.numWarnings + found.numInfos + found.numHints;
        if (count > 0) console.log(path, JSON.stringify(found));
        failed += count > 0;
    }
    console.log(`VALIDATOR ${process.argv.length - 2} files, ${failed} with remarks`);
    process.exit(failed > 0 ? 1 : 0);
})();
