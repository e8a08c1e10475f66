public import ImageCore
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

extension SimulatedDisk.State {
    func node(at path: String, _ call: String) throws(FileSystemFailure) -> Int {
        guard let node = names[path] else { throw FileSystemFailure(call: call, code: ENOENT) }
        return node
    }

    mutating func open(_ node: Int) -> Int32 {
        lastFile += 1
        files[lastFile] = SimulatedDisk.OpenFile(node: node)
        return lastFile
    }

    mutating func make(_ path: String, isFolder: Bool = false) throws(FileSystemFailure) -> Int {
        guard names[SimulatedDisk.parent(path)] != nil else { throw FileSystemFailure(call: "open", code: ENOENT) }
        nodes.append(SimulatedDisk.Node(isFolder: isFolder))
        names[path] = nodes.count - 1
        return nodes.count - 1
    }

    func number(of file: Int32) throws(FileSystemFailure) -> Int {
        guard let open = files[file] else { throw FileSystemFailure(call: "fstat", code: EBADF) }
        return open.node
    }

    func status(of number: Int) -> FileStatus {
        FileStatus(
            isRegular: !nodes[number].isFolder, byteCount: nodes[number].bytes.count, modified: nodes[number].modified,
            identity: FileIdentity(device: 1, file: UInt64(number)), hasName: names.values.contains(number))
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer, to number: Int, at offset: Int) {
        // Copies all bytes at once, because a loop over bytes is slow in debug builds.
        let missing = offset + bytes.count - nodes[number].bytes.count
        if missing > 0 { nodes[number].bytes += [UInt8](repeating: 0, count: missing) }
        unsafe nodes[number].bytes.withUnsafeMutableBytes { contents in
            unsafe UnsafeMutableRawBufferPointer(rebasing: contents[offset...]).copyMemory(from: bytes)
        }
    }
}

// MARK: Calls

extension SimulatedDisk {
    public func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        try call("open") { state throws(FileSystemFailure) in state.open(try state.node(at: path, "open")) }
    }

    public func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        try call("open") { state throws(FileSystemFailure) in
            if state.names[path] != nil { throw FileSystemFailure(call: "open", code: EEXIST) }
            return state.open(try state.make(path))
        }
    }

    public func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        try call("open") { state throws(FileSystemFailure) in
            if let node = state.names[path] { return state.open(node) }
            return state.open(try state.make(path))
        }
    }

    public func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        try call("fstat") { state throws(FileSystemFailure) in state.status(of: try state.number(of: file)) }
    }

    public func status(at path: String) throws(FileSystemFailure) -> FileStatus {
        try call("lstat") { state throws(FileSystemFailure) in state.status(of: try state.node(at: path, "lstat")) }
    }

    public func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        try call("pread") { state throws(FileSystemFailure) in
            let bytes = state.nodes[try state.number(of: file)].bytes.dropFirst(offset).prefix(buffer.count)
            unsafe buffer.copyBytes(from: bytes)
            return bytes.count
        }
    }

    public func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        try call("write") { state throws(FileSystemFailure) in
            let offset = state.files[file]?.offset ?? 0
            unsafe state.write(bytes, to: try state.number(of: file), at: offset)
            state.files[file]?.offset += bytes.count
        }
    }

    public func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) {
        try unsafe write(bytes, to: file)
        try unsafe write(more, to: file)
    }

    public func write(_ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int) throws(FileSystemFailure) {
        try call("pwrite") { state throws(FileSystemFailure) in
            unsafe state.write(bytes, to: try state.number(of: file), at: offset)
        }
    }

    public func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try call("ftruncate") { state throws(FileSystemFailure) in
            let number = try state.number(of: file)
            let excess = state.nodes[number].bytes.count - byteCount
            state.nodes[number].bytes.removeLast(max(0, excess))
            state.nodes[number].bytes.append(contentsOf: repeatElement(0, count: max(0, -excess)))
        }
    }

    public func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        try call("futimens") { state throws(FileSystemFailure) in
            state.nodes[try state.number(of: file)].modified = nanoseconds
        }
    }

    public func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        try call("flock") { state throws(FileSystemFailure) in
            let number = try state.number(of: file)
            if let owner = state.locks[number], owner != file { return false }
            state.locks[number] = file
            return true
        }
    }

    public func waitForLock(_ file: Int32) throws(FileSystemFailure) {
        if try !lock(file) { throw FileSystemFailure(call: "flock", code: EDEADLK) }
    }

    public func unlock(_ file: Int32) {
        state.withLock { state in state.locks = state.locks.filter { $0.value != file } }
    }

    public func synchronize(_ file: Int32) throws(FileSystemFailure) {
        try call("fdatasync") { state throws(FileSystemFailure) in
            let number = try state.number(of: file)
            state.nodes[number].synchronized = state.nodes[number].bytes
        }
    }

    public func synchronizeFolder(_ path: String) throws(FileSystemFailure) {
        try call("fsync") { state throws(FileSystemFailure) in
            _ = try state.node(at: path, "open")
            state.synchronizedNames = state.synchronizedNames.filter { !Self.isName($0.key, in: path) }
            for (name, number) in state.names where Self.isName(name, in: path) {
                state.synchronizedNames[name] = number
            }
        }
    }

    public func close(_ file: Int32) {
        unlock(file)
        state.withLock { $0.files[file] = nil }
    }

    public func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try call("rename") { state throws(FileSystemFailure) in
            let node = try state.node(at: path, "rename")
            _ = try state.node(at: Self.parent(newPath), "rename")
            state.names[path] = nil
            state.names[newPath] = node
        }
    }

    public func remove(_ path: String) throws(FileSystemFailure) {
        try call("unlink") { state throws(FileSystemFailure) in
            _ = try state.node(at: path, "unlink")
            state.names[path] = nil
        }
    }

    public func makeFolder(_ path: String) throws(FileSystemFailure) {
        try call("mkdir") { state throws(FileSystemFailure) in
            var folder = ""
            for part in path.split(separator: "/") {
                folder += "/\(part)"
                if state.names[folder] == nil { _ = try state.make(folder, isFolder: true) }
            }
        }
    }

    /// Removes a folder and its contents, as another process would.
    public func removeFolder(_ path: String) throws(FileSystemFailure) {
        try call("rm") { state throws(FileSystemFailure) in
            _ = try state.node(at: path, "rm")
            state.names = state.names.filter { $0.key != path && !$0.key.hasPrefix(path + "/") }
        }
    }

    public func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        try call("opendir") { state throws(FileSystemFailure) in
            _ = try state.node(at: path, "opendir")
            return state.names.filter { Self.isName($0.key, in: path) }.map { name, number in
                let status = state.status(of: number)
                return ListedFile(
                    name: String(name[name.index(after: name.lastIndex(of: "/") ?? name.startIndex)...]),
                    isRegular: status.isRegular,
                    byteCount: status.byteCount, modified: status.modified)
            }
        }
    }

    public func availableBytes(at path: String) throws(FileSystemFailure) -> Int { 1 << 40 }

    public func bootNumber() -> UInt64 { boot }
}
