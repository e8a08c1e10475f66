#if RedisCaching
    import ImageCore

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The names of the keys on the server: `namespace:version:kind:hash`.
    struct RedisKeys: Hashable, Sendable {
        private let prefix: String

        init(namespace: String) { prefix = "\(namespace):\(RedisEntryFormat.version):" }

        /// Returns the key of an entry. The hash is SHA-256, so that an attacker can't choose URLs that collide.
        func entry(_ key: DataCacheKey) -> String {
            "\(prefix)e:\(SHA256.hexadecimalDigest(of: Array(key.source.utf8)))"
        }

        /// The pattern of all entries, for SCAN.
        var entryPattern: String { "\(prefix)e:*" }

        /// The sorted set of the entries in the order of their last use.
        var uses: String { "\(prefix)uses" }

        /// The hash with the size of each entry, their sum (field ``) and the number of uses (field `clock`).
        var sizes: String { "\(prefix)sizes" }

        /// Returns the key of a lease.
        func lease(_ key: String) -> String { "\(prefix)lease:\(SHA256.hexadecimalDigest(of: Array(key.utf8)))" }
    }

    /// The commands. With a byte limit, they are scripts that keep an index. The server runs a script as one step.
    extension RedisDataCache {
        /// Reads at most one byte more than allowed, so that the reply is bounded.
        func reading(_ key: DataCacheKey) -> RedisCommand {
            let name = keys.entry(key)
            guard options.byteLimit != nil else {
                return RedisCommand("GETRANGE", name, "0", String(options.maxEntryBytes))
            }
            return script(Self.readScript, keys: [name], String(options.maxEntryBytes))
        }

        func storing(_ entry: DataCacheEntry, of size: Int, for key: DataCacheKey) -> RedisCommand {
            let (name, lifetime) = (keys.entry(key), lifetime(of: entry, for: key))
            var command =
                if let byteLimit = options.byteLimit {
                    script(Self.storeScript, keys: [name], String(byteLimit), String(size), String(lifetime))
                } else {
                    RedisCommand("SET", name)
                }
            command.append { RedisEntryFormat.append(entry, for: key, to: &$0) }
            if options.byteLimit == nil {
                command.append("PX")
                command.append(lifetime)
            }
            return command
        }

        func removal(of names: [String]) -> RedisCommand {
            guard options.byteLimit == nil else { return script(Self.removeScript, keys: names) }
            var command = RedisCommand("UNLINK")
            for name in names { command.append(name) }
            return command
        }

        /// The lifetime of an entry, in milliseconds.
        private func lifetime(of entry: DataCacheEntry, for key: DataCacheKey) -> Int {
            (options.lifetimeOfEntry?(key, entry) ?? options.lifetime).redisMilliseconds
        }

        private func script(_ text: String, keys names: [String], _ arguments: String...) -> RedisCommand {
            let keyCount = String(names.count + 2)
            var command = RedisCommand("EVAL", Self.indexFunctions + text, keyCount, keys.uses, keys.sizes)
            for word in names + arguments { command.append(word) }
            return command
        }

        private static let indexFunctions = """
            local uses, sizes = KEYS[1], KEYS[2]
            local function forget(key)
              local size = redis.call('HGET', sizes, key)
              if not size then return end
              redis.call('HINCRBY', sizes, '', -size)
              redis.call('HDEL', sizes, key)
              redis.call('ZREM', uses, key)
            end
            local function remove(key)
              redis.call('UNLINK', key)
              forget(key)
            end

            """

        /// Reads an entry and records its use. The use is lost if the server's memory is full.
        private static let readScript = """
            local value = redis.call('GETRANGE', KEYS[3], 0, ARGV[1])
            if value ~= '' then
              local clock = redis.pcall('HINCRBY', sizes, 'clock', 1)
              if type(clock) == 'number' then redis.pcall('ZADD', uses, 'XX', clock, KEYS[3]) end
            end
            return value
            """

        /// Removes the older entry and the least recently used ones, until there is space, and stores an entry.
        private static let storeScript = """
            local key, limit, size = KEYS[3], tonumber(ARGV[1]), tonumber(ARGV[2])
            -- The first change must be one that a full server refuses, because it refuses no later one of a script.
            redis.call('HSETNX', sizes, '', 0)
            remove(key)
            while tonumber(redis.call('HGET', sizes, '') or '0') > limit - size do
              local oldest = redis.call('ZRANGE', uses, 0, 0)[1]
              if oldest then remove(oldest) else redis.call('HSET', sizes, '', 0) end
            end
            redis.call('SET', key, ARGV[4], 'PX', ARGV[3])
            redis.call('HSET', sizes, key, size)
            redis.call('HINCRBY', sizes, '', size)
            redis.call('ZADD', uses, redis.call('HINCRBY', sizes, 'clock', 1), key)
            """

        private static let removeScript = "for number = 3, #KEYS do remove(KEYS[number]) end"
    }

    extension Duration {
        /// A time after which a key expires: at least a millisecond, at most 100 years.
        var redisMilliseconds: Int {
            let limited = min(max(self, .milliseconds(1)), .seconds(100 * 365 * 86_400))
            return Int(limited.components.seconds) * 1_000 + Int(limited.components.attoseconds / 1_000_000_000_000_000)
        }
    }
#endif
