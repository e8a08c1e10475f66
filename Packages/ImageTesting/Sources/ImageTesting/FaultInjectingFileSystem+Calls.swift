public import ImageCore

// MARK: Opening

extension FaultInjectingFileSystem {
    public func openToRead(_ path: String) throws(FileSystemFailure) -> Int32 {
        try willCall(.openToRead, path)
        return opened(try base.openToRead(path), path)
    }

    public func create(_ path: String) throws(FileSystemFailure) -> Int32 {
        try willCall(.create, path)
        return opened(try base.create(path), path)
    }

    public func openToUpdate(_ path: String) throws(FileSystemFailure) -> Int32 {
        try willCall(.openToUpdate, path)
        return opened(try base.openToUpdate(path), path)
    }

    public func openToReadNonblocking(_ path: String) throws(FileSystemFailure) -> Int32? {
        if refusesNonblocking { return nil }
        try willCall(.openToReadNonblocking, path)
        guard let file = try base.openToReadNonblocking(path) else { return nil }
        return opened(file, path)
    }
}

// MARK: Open files

extension FaultInjectingFileSystem {
    public func status(of file: Int32) throws(FileSystemFailure) -> FileStatus {
        try willCall(.status, file)
        return try base.status(of: file)
    }

    public func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(FileSystemFailure) -> Int {
        try willCall(.read, file)
        return try unsafe base.read(file, into: buffer, at: offset)
    }

    public func readNonblocking(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(FileSystemFailure) -> Int? {
        if refusesNonblocking { return nil }
        try willCall(.readNonblocking, file)
        return try unsafe base.readNonblocking(file, into: buffer)
    }

    public func write(_ bytes: UnsafeRawBufferPointer, to file: Int32) throws(FileSystemFailure) {
        let middle = bytes.count / 2
        try willCall(.write, file)
        try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[..<middle]), to: file)
        try willCall(.writeRest, file)
        try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[middle...]), to: file)
    }

    public func write(
        _ bytes: UnsafeRawBufferPointer, _ more: UnsafeRawBufferPointer, to file: Int32
    ) throws(FileSystemFailure) {
        try unsafe write(bytes, to: file)
        try unsafe write(more, to: file)
    }

    public func write(
        _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
    ) throws(FileSystemFailure) {
        let middle = bytes.count / 2
        try willCall(.write, file)
        try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[..<middle]), to: file, at: offset)
        try willCall(.writeRest, file)
        try unsafe base.write(UnsafeRawBufferPointer(rebasing: bytes[middle...]), to: file, at: offset + middle)
    }

    public func truncate(_ file: Int32, to byteCount: Int) throws(FileSystemFailure) {
        try willCall(.truncate, file)
        try base.truncate(file, to: byteCount)
    }

    public func setModified(_ nanoseconds: Int64, of file: Int32) throws(FileSystemFailure) {
        try willCall(.setModified, file)
        try base.setModified(nanoseconds, of: file)
    }

    public func lock(_ file: Int32) throws(FileSystemFailure) -> Bool {
        try willCall(.lock, file)
        return try base.lock(file)
    }

    public func waitForLock(_ file: Int32) throws(FileSystemFailure) {
        try willCall(.waitForLock, file)
        try base.waitForLock(file)
    }

    public func synchronize(_ file: Int32) throws(FileSystemFailure) {
        try willCall(.synchronize, file)
        try base.synchronize(file)
    }
}

// MARK: Names

extension FaultInjectingFileSystem {
    public func status(at path: String) throws(FileSystemFailure) -> FileStatus {
        try willCall(.status, path)
        return try base.status(at: path)
    }

    public func synchronizeFolder(_ path: String) throws(FileSystemFailure) {
        try willCall(.synchronizeFolder, path)
        try base.synchronizeFolder(path)
    }

    public func rename(_ path: String, to newPath: String) throws(FileSystemFailure) {
        try willCall(.rename, path)
        try base.rename(path, to: newPath)
    }

    public func remove(_ path: String) throws(FileSystemFailure) {
        try willCall(.remove, path)
        try base.remove(path)
    }

    public func makeFolder(_ path: String) throws(FileSystemFailure) {
        try willCall(.makeFolder, path)
        try base.makeFolder(path)
    }

    public func list(_ path: String) throws(FileSystemFailure) -> [ListedFile] {
        try willCall(.list, path)
        return try base.list(path)
    }

    public func availableBytes(at path: String) throws(FileSystemFailure) -> Int {
        try willCall(.availableBytes, path)
        return try base.availableBytes(at: path)
    }
}
