// Loads the bundle, with what V8 compiled of it in earlier runs: a third of the time of a short command. Node 22 has
// this built in; for Node 20 it is done here. Compiled code lies in the user's own cache directory, since it is executed.
const { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const module_ = require('node:module');
const { dirname, join } = require('node:path');
const vm = require('node:vm');

/** Gives the exports of a CommonJS bundle, and a function that keeps its compiled code for the next run. */
module.exports = function load(file, cacheDirectory) {
  if (module_.enableCompileCache !== undefined) {
    module_.enableCompileCache(cacheDirectory);
    return { program: require(file), keep: () => undefined };
  }
  const { mtimeMs, size } = statSync(file);
  const prefix = `${process.version}-${process.arch}-`;
  const name = `${prefix}${size}-${Math.trunc(mtimeMs)}.bin`;
  const cachedData = read(join(cacheDirectory, name));
  const script = new vm.Script(module_.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    ...(cachedData !== undefined && { cachedData }),
    importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  // As `require` would: whoever requires the file later gets this very instance.
  const bundle = new module_(file, module);
  bundle.filename = file;
  bundle.paths = module_._nodeModulePaths(dirname(file));
  require.cache[file] = bundle;
  script.runInThisContext()(bundle.exports, bundle.require.bind(bundle), bundle, file, dirname(file));
  bundle.loaded = true;
  const keep = () => {
    if (cachedData !== undefined && script.cachedDataRejected !== true) return;
    try {
      write(cacheDirectory, name, prefix, script.createCachedData());
    } catch {
      // A cache that cannot be written only costs time.
    }
  };
  return { program: bundle.exports, keep };
};

function read(path) {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function write(directory, name, prefix, data) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const temporary = join(directory, `${name}.${process.pid}`);
  writeFileSync(temporary, data, { mode: 0o600 });
  renameSync(temporary, join(directory, name));
  for (const other of readdirSync(directory)) {
    if (other.startsWith(prefix) && other !== name) rmSync(join(directory, other), { force: true });
  }
}
